import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import { systemClock } from '../clock/clock.ts'
import type { Call, Provider, Reply } from '../contracts/provider.ts'
import type { UpstreamResponse } from '../contracts/transport.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { Lifetime } from '../http/lifetime.ts'
import { AttemptEntry } from '../observability/attempt-log.ts'
import { defaultTransport } from '../transports/undici.ts'
import { ProviderCall } from './provider-call.ts'

const timeouts = {
  policyMs: 5_000,
  connectMs: 1_000,
  queueMs: 1_000,
  firstByteMs: 5_000,
  responseMs: 5_000,
  idleMs: 5_000,
  totalMs: 5_000,
}
const clock = systemClock
const call = {
  form: 'translated',
  request: chatRequest({ model: 'm', messages: [] }),
  model: 'm',
  unsupportedParameters: 'refuse',
} as const
const completion = { choices: [] }

async function asking(listener: RequestListener, more: Partial<Provider> = {}) {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const transport = defaultTransport(timeouts)
  onTestFinished(async () => {
    await transport.close?.()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const provider: Provider = {
    name: 'raw',
    encode: () => ({ method: 'POST', url, headers: {}, body: 'x' }),
    decode: async () => ({ kind: 'completion', completion }),
    ...more,
  }
  const life = new Lifetime(new AbortController().signal)
  const world = { transport, timeouts, clock }
  const attempt = new ProviderCall(
    life,
    world,
    clock.monotonic() + 5_000,
    new AttemptEntry({ provider, model: 'm' }, clock.monotonic()),
  )
  return { attempt, life, run: () => attempt.run(provider, call) }
}

/** Whether the connection of each request is still open, once it was answered or closed. */
function watchedConnections() {
  const closed: Promise<void>[] = []
  const seen = (listener: RequestListener): RequestListener => {
    return (request, response) => {
      closed.push(new Promise(resolve => request.socket.once('close', () => resolve())))
      listener(request, response)
    }
  }
  return { closed, seen }
}

describe('an attempt over the default transport', () => {
  it('gives back the connection of an answer that its provider did not read', async () => {
    const { closed, seen } = watchedConnections()
    const { attempt, run } = await asking(
      seen((_request, response) => {
        response.end(Buffer.alloc(1_000_000))
      }),
    )
    expect(await run()).toMatchObject({ completion })
    attempt.end(true)
    await closed[0]
  })

  it('keeps the order of an answer whose completion is a promise', async () => {
    const ordered = [{ choices: [{ index: 0, delta: { content: 'Hello!' } }] }]
    const { attempt, run } = await asking((_request, response) => void response.end(), {
      decode: () => ({ kind: 'completion', completion: Promise.resolve(completion) as never, ordered }),
    })
    expect(await run()).toMatchObject({ completion, chunks: ordered })
    attempt.end(true)
  })

  it.each(['head', 'body'])('closes the connection when the life ends before the %s is there', async part => {
    const { closed, seen } = watchedConnections()
    let arrived = () => {}
    const hasArrived = new Promise<void>(resolve => {
      arrived = resolve
    })
    const text = async (response: UpstreamResponse): Promise<Reply> => {
      await response.text()
      return { kind: 'completion', completion }
    }
    const { attempt, life, run } = await asking(
      seen((_request, response) => {
        if (part === 'body') response.write('begun')
        arrived()
      }),
      { decode: text },
    )
    const cuts: Error[] = []
    attempt.onCut = reason => cuts.push(reason)
    const running = run()
    await hasArrived
    life.end('gateway_closed')
    await expect(running).rejects.toThrow('The gateway was closed.')
    expect(cuts).toEqual([expect.any(LifeEnded)])
    attempt.end(false)
    await closed[0]
  })
})

describe('the signal of a call', () => {
  it('is one, however the call is handed on, and aborts when the attempt is cut off', async () => {
    const seen: (AbortSignal | undefined)[] = []
    const { attempt, life, run } = await asking((_request, response) => void response.end(), {
      encode: given => {
        seen.push(given.signal, { ...given }.signal, Object.assign({}, given).signal)
        expect(Object.keys(given).sort()).toEqual([
          'input',
          'model',
          'request',
          'signal',
          'unsupportedParameters',
        ])
        return new Promise(() => {})
      },
    })
    const running = run()
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]).toBeInstanceOf(AbortSignal)
    life.end('client_disconnected')
    await expect(running).rejects.toThrow('The client disconnected.')
    expect(seen[0]?.reason).toBeInstanceOf(LifeEnded)
    attempt.end(false)
  })

  it('has aborted where it is first read after that', async () => {
    let given: Call | undefined
    const { attempt, life, run } = await asking((_request, response) => void response.end(), {
      encode: call => {
        given = call
        return new Promise(() => {})
      },
    })
    const running = run()
    life.end('client_disconnected')
    await expect(running).rejects.toThrow('The client disconnected.')
    expect(given?.signal?.reason).toBeInstanceOf(LifeEnded)
    attempt.end(false)
  })

  it('is asked for by a transport of the user, and by no other', async () => {
    let signal: AbortSignal | undefined
    const { attempt, run } = await asking((_request, response) => void response.end(), {
      transport: async (_request, given) => {
        signal = given
        return { status: 200, headers: new Headers(), body: (async function* () {})() }
      },
    })
    await run()
    attempt.end(true)
    expect(signal?.aborted).toBe(false)
    attempt.end(false)
    expect(signal?.aborted).toBe(true)
  })
})
