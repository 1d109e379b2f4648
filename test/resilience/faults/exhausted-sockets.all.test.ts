import { request } from 'node:http'
import type { Target, Transport } from '@sluice/core'
import { chunks, completion, connectRawClient, requestBytes, type Script, sse, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { base, headersOf } from '../../e2e/conformance/site.ts'
import { startChild } from './harness/child-service.ts'
import { everyServer, overEveryServer } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** Binds to an address that this machine does not have: nothing leaves it. */
const unbindable: Transport = ({ url, method, headers }, signal) =>
  new Promise((_, reject) => {
    request(url, { method, headers, signal, localAddress: '192.0.2.1' }).on('error', reject).end()
  })

/** Keeps no connection open, so that each call needs a new one. */
const answerAndClose: Script = ({ json }) =>
  json?.stream === true
    ? steps.stream(sse(chunks()), { headers: { connection: 'close' } })
    : steps.reply(completion(), { headers: { connection: 'close' } })

describe('F91 the process has no file or port left for a call (EMFILE, EADDRNOTAVAIL)', () => {
  it.each(everyServer)('is a 502, and all is well again once there is: %s', async mount => {
    const upstream = await upstreamDuring(answerAndClose)
    const service = await startChild(
      { mount, routes: { m: [upstream.baseURL], two: [upstream.baseURL, upstream.baseURL] } },
      200,
    )
    const { site, ends } = service
    const client = await connectRawClient({ port: site.port })
    onTestFinished(() => client.close())
    const ask = async (fields: object) => {
      const body = { ...base, model: 'm', ...fields }
      await client.send(
        requestBytes({ path: site.pathOf('/chat/completions'), headers: headersOf({}), body }),
      )
      return client.response()
    }
    expect(await ask({})).toMatchObject({ status: 200 })
    await upstream.waitForIdle()
    const before = await service.command('give files back')
    expect(before).toBeLessThan(200)

    await service.command('take all files')
    for (const stream of [false, true]) {
      for (const model of ['m', 'two']) {
        const answered = await ask({ stream, model })
        expect(answered).toMatchObject({
          status: 502,
          json: { error: { code: 'bad_gateway', type: 'server_error' } },
        })
        expect(answered?.body).not.toMatch(/EMFILE|127\.0\.0\.1/)
      }
    }
    // Nobody new gets in; it is not the end of those who are.
    const newcomer = await connectRawClient({ port: site.port }).catch(() => undefined)
    expect(await newcomer?.waitForEnd(300).catch(() => 'waits')).toMatch(/end|reset|waits/)
    await newcomer?.close()
    expect((await ask({}))?.status).toBe(502)

    await service.command('give files back')
    expect(await ask({})).toMatchObject({ status: 200 })
    expect((await site.chat({ model: 'm', stream: true })).body).toContain('[DONE]')
    expect(service.process.exitCode).toBeNull()
    await expect.poll(() => ends).toHaveLength(8)
    expect(ends.map(({ outcome }) => outcome)).toEqual([
      'completed',
      ...Array(5).fill('upstream_failed'),
      ...Array(2).fill('completed'),
    ])
    // They were retried, and the circuit breaker stayed closed: the vendor had not failed.
    expect(ends[1]?.attempts).toEqual(Array(3).fill({ called: true, kind: 'unreachable' }))
    expect(ends[2]?.attempts).toHaveLength(3)
    // Nothing is left of those that failed.
    await upstream.waitForIdle()
    await expect.poll(() => service.command('give files back')).toBeLessThanOrEqual(before)
  })

  overEveryServer(mount => {
    it('is left for the next target, where only one upstream cannot be called', async () => {
      const upstream = await upstreamDuring()
      const { provider, model } = targetAt(upstream)
      const target: Target = { model, provider: { ...provider, transport: unbindable } }
      const { site, ends } = await startService(mount, {
        models: { m: target, list: [target, targetAt(upstream)] },
      })
      expect(await site.chat({ model: 'm' })).toMatchObject({
        status: 502,
        json: { error: { code: 'bad_gateway' } },
      })
      expect((await site.chat({ model: 'list', stream: true })).body).toContain('[DONE]')
      expect(ends).toMatchObject([
        { attempts: [{ error: { kind: 'unreachable', cause: { code: 'EADDRNOTAVAIL' } } }] },
        { attempts: [{ error: { kind: 'unreachable' } }, { error: undefined }] },
      ])
      expect(upstream.requests).toHaveLength(1)
    })
  })
})
