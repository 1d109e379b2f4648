import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Gateway } from '@sluice/core'
import type { PartialChunk, Provider } from '@sluice/core/provider'
import { toNodeListener } from '@sluice/node'
import { chunks, sse, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { base } from '../../e2e/conformance/site.ts'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { asking } from './harness/crowd.ts'
import { overHosts } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const begun = sse(chunks({ text: 'one two three' })).slice(0, 4)

describe('F32 calls that come when all is over', () => {
  const faults: Record<string, (iterator: AsyncIterator<unknown>) => unknown> = {
    'return rejects': () => Promise.reject(new Error('late')),
    'return throws': () => {
      throw new Error('late')
    },
    'return never comes back': () => new Promise(() => {}),
    'there is no return': () => undefined,
  }

  overHosts(mount => {
    it.each(Object.entries(faults))('no promise is rejected unheard where %s', async (name, leave) => {
      const unheard = unheardDuring()
      const vendor = brokenVendor(name === 'there is no return' ? undefined : leave)
      const { site, end } = await startService(mount, {
        models: { m: { provider: vendor, model: 'its-model' } },
      })
      const client = await asking(site, { model: 'm', stream: true })
      await client.waitFor('one')
      client.reset()
      expect(await end()).toMatchObject({ outcome: 'client_disconnected', usageEstimated: true })
      vendor.settleLate()
      await turns()
      expect(unheard).toEqual([])
    })
  })

  it('a body that is cancelled twice, also after its end, is only over', async () => {
    const unheard = unheardDuring()
    const upstream = await upstreamDuring(steps.stream(begun.concat('data: [DONE]\n\n')), [
      steps.stream(begun),
      steps.hang(),
    ])
    const { gateway, ends } = await startService(someMount, { models: { m: upstream } })
    for (const reads of [10, 1]) {
      const response = await gateway.fetch(request())
      const reader = response.body?.getReader()
      for (let n = 0; n < reads; n++) if ((await reader?.read())?.done === true) break
      await Promise.all([reader?.cancel('twice'), reader?.cancel('thrice')])
      reader?.releaseLock()
      await response.body?.cancel()
    }
    await turns()
    expect(ends).toHaveLength(2)
    expect(unheard).toEqual([])
  })

  it('a host that has ended the answer itself gets nothing more written to it', async () => {
    const unheard = unheardDuring()
    const vendor = brokenVendor(() => Promise.reject(new Error('late')))
    let response: ServerResponse | undefined
    const errors: unknown[] = []
    const { site, end } = await startService(
      gateway =>
        serverOf(gateway, res => {
          response = res.on('error', error => errors.push(error))
        }),
      { models: { m: { provider: vendor, model: 'its-model' } } },
    )
    const client = await asking(site, { model: 'm', stream: true })
    await client.waitFor('two')
    // The next word comes before the end that the host writes has gone out.
    response?.end()
    vendor.say(' three')
    expect((await end()).outcome).toBe('client_disconnected')
    await turns()
    expect(errors).toEqual([])
    expect(unheard).toEqual([])
  })

  it('an answer to a response that the host has sent already is given up', async () => {
    const unheard = unheardDuring()
    const upstream = await upstreamDuring([steps.stream(begun), steps.hang()])
    const { site } = await startService(
      gateway => serverOf(gateway, res => void res.writeHead(503).end('too slow')),
      { models: { m: upstream } },
    )
    expect(await site.chat({ model: 'm', stream: true })).toMatchObject({ status: 503, body: 'too slow' })
    await upstream.waitForIdle()
    await turns()
    expect(unheard).toEqual([])
  })
})

/** A vendor whose stream gives two words, then waits; `leave` is what becomes of its `return`. */
function brokenVendor(leave: ((iterator: AsyncIterator<unknown>) => unknown) | undefined) {
  let say: ((content: string) => void) | undefined
  let fail: ((error: Error) => void) | undefined
  const said = (content: string) => ({
    done: false,
    value: [{ choices: [{ index: 0, delta: { content } }] }],
  })
  const words = ['one', ' two']
  const iterator = {
    next(): Promise<IteratorResult<readonly PartialChunk[]>> {
      const content = words.shift()
      if (content === undefined) {
        return new Promise((resolve, reject) => {
          say = content => resolve(said(content))
          fail = reject
        })
      }
      return Promise.resolve(said(content))
    },
    ...(leave && { return: () => leave(iterator) as Promise<IteratorResult<readonly PartialChunk[]>> }),
  }
  const provider: Provider = {
    name: 'broken',
    transport: () =>
      Promise.resolve({ status: 200, headers: new Headers(), body: (async function* () {})() }),
    encode: () => ({ method: 'POST', url: 'http://vendor.invalid/', headers: {}, body: '{}' }),
    decode: () => ({ kind: 'stream', chunks: { [Symbol.asyncIterator]: () => iterator } }),
  }
  return {
    ...provider,
    say: (content: string) => say?.(content),
    settleLate: () => fail?.(new Error('late')),
  }
}

/** A server that hands each response to a host before the gateway has it. */
function serverOf(gateway: Gateway, host: (res: ServerResponse) => void): ReturnType<Mount> {
  const listener = toNodeListener(gateway)
  const server = createServer((req, res) => {
    host(res)
    listener(req, res)
  })
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      const origin = `http://127.0.0.1:${port}`
      const close = async () => {
        server.closeAllConnections()
        await new Promise(closed => server.close(closed))
      }
      resolve({ origin, port, baseURL: `${origin}/v1`, close })
    })
  })
}

const someMount: Mount = gateway => serverOf(gateway, () => {})

function request(): Request {
  return new Request('http://localhost/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer good-key', 'content-type': 'application/json' },
    body: JSON.stringify({ ...base, model: 'm', stream: true }),
  })
}

/** What is rejected or thrown until the test ends although nobody hears it. */
function unheardDuring(): unknown[] {
  const unheard: unknown[] = []
  const heard = (error: unknown) => void unheard.push(error)
  const events = ['unhandledRejection', 'uncaughtExceptionMonitor'] as const
  for (const event of events) process.on(event, heard)
  onTestFinished(() => {
    for (const event of events) process.off(event, heard)
  })
  return unheard
}

/** Node tells of a rejection that nobody hears when the microtasks of a turn are done. */
async function turns(): Promise<void> {
  for (let n = 0; n < 5; n++) await turn()
}
