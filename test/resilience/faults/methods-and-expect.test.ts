import { describe, expect, it } from 'vitest'
import { expectError } from '../../e2e/conformance/expect-error.ts'
import { bareHeadOf, connected, headOf } from './harness/connected.ts'
import { expectRefusal } from './harness/refused.ts'
import { overHosts, served } from './harness/served.ts'
import { overAllMounts } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const body = '{"model":"m","messages":[{"role":"user","content":"Hello!"}]}'
const waiting = ['Expect: 100-continue', `Content-Length: ${body.length}`]
const badKey = ['Host: a', 'Authorization: Bearer bad-key', 'Content-Type: application/json']

describe('F38 another method than POST, and a client that asks before it sends its body', () => {
  overAllMounts(mount => {
    it('is a 405 that says which method is right, with any key', async () => {
      const upstream = await upstreamDuring()
      const { site, events } = await startService(mount, { models: { m: upstream } })
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']) {
        for (const key of ['good-key', 'bad-key', null]) {
          const answer = await site.send('/chat/completions', { method, key, body: { model: 'm' } })
          expectRefusal(answer, 405, {
            code: 'method_not_supported',
            message: new RegExp(`^Not allowed to ${method}`),
          })
          expect(answer.headers.allow).toBe('POST')
        }
      }
      const told = {
        method: 'GET',
        headers: { 'x-http-method-override': 'POST', 'x-method-override': 'POST' },
      }
      expectRefusal(await site.send('/chat/completions', told), 405)
      expect([events.length, upstream.requests.length]).toEqual([0, 0])
    })

    it('is a 405 without a body for HEAD, and the connection goes on', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      const head = `HEAD ${site.pathOf('/chat/completions')} HTTP/1.1\r\nHost: a\r\n\r\n`
      const client = await connected(site, head + head)
      for (let i = 0; i < 2; i++) {
        const answer = await client.response('HEAD')
        expect([answer?.status, answer?.headers.allow]).toEqual([405, 'POST'])
        expect(answer?.headers['content-type']).toMatch(/^application\/json/)
        expect(answer?.headers['x-request-id']).toMatch(/^req_/)
      }
      expect(upstream.requests).toHaveLength(0)
    })
  })

  overHosts(mount => {
    it('with a wrong key gets its 401, and no body is read', async () => {
      const upstream = await upstreamDuring()
      const { site, end } = await startService(mount, { models: { m: upstream } })
      const client = await connected(site, bareHeadOf(site, ...badKey, ...waiting))
      const answer = await client.response()
      if (answer === undefined) throw new Error('no answer')
      expectRefusal({ ...answer, received: client.received }, 401, { code: 'invalid_api_key' })
      // Nobody knows whether the body comes now.
      expect(answer.headers.connection).toBe('close')
      // A server that is not told otherwise says 100 by itself, before it hands the request to anybody.
      expect(answer.interim).toEqual(mount === served ? [] : [100])
      expect(await end()).toMatchObject({ outcome: 'refused', status: 401 })
      expect(upstream.requests).toHaveLength(0)
    })

    it('with a good key is told to go on, once', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      const client = await connected(site, headOf(site, ...waiting))
      await client.waitFor('100 Continue')
      await client.send(body)
      expect(await client.response()).toMatchObject({ status: 200, interim: [100] })
    })
  })

  it.each([
    ['a body that is too large', 413, ['Expect: 100-continue', 'Content-Length: 30000000']],
    ['an encoded body', 400, [...waiting, 'Content-Encoding: gzip']],
  ])('is not told to go on for %s', async (_, status, lines) => {
    const upstream = await upstreamDuring()
    const { site } = await startService(served, { models: { m: upstream } })
    const client = await connected(site, headOf(site, ...lines))
    const answer = await client.response()
    if (answer === undefined) throw new Error('no answer')
    expectError({ ...answer, received: client.received }, status)
    expect(answer.interim).toEqual([])
  })
})
