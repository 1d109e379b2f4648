import { describe, expect, it } from 'vitest'
import { idempotency } from '../../src/caching/idempotency.ts'
import { responseCache } from '../../src/caching/response-cache.ts'
import type { BodyRecorder, BodyRequest, RecordedBodies } from '../../src/contracts/body-recorder.ts'
import { ConfigurationError } from '../../src/errors/configuration-error.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { requests } from '../../src/rate-limiting/rule.ts'
import { models } from '../../src/routing/models.ts'
import { chunks, forever, scripted, serving, stop, stream, text, whole } from '../support/scripted-gateway.ts'

function recorder(more: Partial<BodyRecorder> = {}) {
  const recorded: RecordedBodies[] = []
  const asked: BodyRequest[] = []
  const bodies: BodyRecorder = {
    maxBytes: 100_000,
    wants: request => {
      asked.push(request)
      return true
    },
    record: each => void recorded.push(each),
    ...more,
  }
  return { bodies, recorded, asked }
}

describe('a recorder of bodies', () => {
  it('gets the request after hooks and what the caller got, without headers', async () => {
    const { bodies, recorded, asked } = recorder()
    const { target } = scripted(() => whole('Hi'))
    const hook = {
      name: 'mask',
      onRequest: ({ texts }: { texts: readonly { path: readonly (string | number)[] }[] }) => ({
        edits: texts.map(({ path }) => ({ path, value: '[masked]' })),
      }),
    }
    const { post, ends } = serving(target, {
      bodies,
      hooks: [hook],
      authenticate: () => ({ id: 'ann', source: 'api_keys', tags: { team: 'a' } }),
    })
    const response = await post(
      {},
      { headers: { 'content-type': 'application/json', authorization: 'Bearer sk-secret-1' } },
    )
    const sent = await response.text()
    expect(recorded).toEqual([
      {
        requestId: response.headers.get('x-request-id'),
        at: ends()[0]!.at,
        principal: { id: 'ann', source: 'api_keys' },
        operation: 'generate',
        dialect: 'chat',
        path: '/v1/chat/completions',
        model: 'm',
        stream: false,
        status: 200,
        outcome: 'completed',
        request: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: '[masked]' }] }),
        response: sent,
        requestOmitted: false,
        responseTruncated: false,
      },
    ])
    expect(asked).toMatchObject([{ principal: { id: 'ann' }, model: 'm', operation: 'generate' }])
    expect(JSON.stringify(recorded)).not.toContain('sk-secret')
  })

  it('gets the events of a stream, also of one that breaks', async () => {
    const { bodies, recorded } = recorder()
    const { target } = scripted((_signal, index) =>
      index === 0
        ? stream([text('Hel')], [text('lo')], [stop])
        : { kind: 'stream', chunks: chunks([text('Hel')], new Error('cut')) },
    )
    const { post } = serving(target, { bodies })
    const complete = await (await post({ stream: true })).text()
    const broken = await (await post({ stream: true })).text()
    expect(broken).toContain('error')
    expect(recorded.map(({ response, outcome }) => ({ response, outcome }))).toEqual([
      { response: complete, outcome: 'completed' },
      { response: broken, outcome: expect.stringMatching(/failed|error/) },
    ])
  })

  it('gets what was sent before the client disconnected', async () => {
    const { bodies, recorded } = recorder()
    const { target } = scripted((signal, index) =>
      index === 0
        ? {
            kind: 'stream',
            chunks: (async function* () {
              yield [text('Hel')]
              await forever(signal)
            })(),
          }
        : forever(signal),
    )
    const { post } = serving(target, { bodies })
    const response = await post({ stream: true })
    const reader = response.body!.getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    await reader.cancel()
    await expect.poll(() => recorded.length).toBe(1)
    expect(recorded[0]).toMatchObject({ outcome: 'client_disconnected', response: first })

    const leaving = new AbortController()
    const left = post({}, { signal: leaving.signal })
    setTimeout(() => leaving.abort(), 5)
    await left.catch(() => {})
    await expect.poll(() => recorded.length).toBe(2)
    expect(recorded[1]).toMatchObject({ outcome: 'client_disconnected', response: undefined })
  })

  it('gets errors, and cached and replayed responses', async () => {
    const { bodies, recorded } = recorder()
    const { target } = scripted(() => whole('Hi'))
    const { post } = serving(target, {
      bodies,
      cache: responseCache({ ttlMs: 60_000 }),
      idempotency: idempotency(),
      limits: [requests(3).per('hour')],
    })
    const keyed = { headers: { 'content-type': 'application/json', 'idempotency-key': 'k' } }
    const responses = [
      await post({}),
      await post({}),
      await post({}, keyed),
      await post({}, keyed),
      await post({ messages: [] }),
    ]
    const texts = await Promise.all(responses.map(response => response.text()))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429])
    expect(recorded.map(({ response }) => response)).toEqual(texts)
    expect(recorded.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429])
  })

  it('gets the events of a stream from the cache', async () => {
    const { bodies, recorded } = recorder()
    const { target } = scripted(() => stream([text('Hello')], [stop]))
    const { post } = serving(target, { bodies, cache: responseCache({ ttlMs: 60_000 }) })
    const first = await (await post({ stream: true })).text()
    const cached = await (await post({ stream: true })).text()
    expect(recorded.map(({ response, stream }) => [response, stream])).toEqual([
      [first, true],
      [cached, true],
    ])
  })

  it('gets counts of tokens, and the end of a response that runs in the background', async () => {
    const { bodies, recorded } = recorder()
    const { target } = scripted((_signal, index) => {
      if (index > 0) throw new Error('cut')
      return whole('Hi')
    })
    const { gateway } = serving(target, { bodies })
    const send = (path: string, body: object) =>
      gateway.fetch(
        new Request(`http://sluice.test${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'm', ...body }),
        }),
      )
    const counted = await send('/v1/messages/count_tokens', {
      messages: [{ role: 'user', content: 'Hello!' }],
    })
    expect(recorded).toMatchObject([{ operation: 'countTokens', response: await counted.text() }])
    const queued = await (await send('/v1/responses', { input: 'Hello!', background: true })).json()
    expect(queued).toMatchObject({ status: 'queued' })
    await expect.poll(() => recorded.length).toBe(2)
    expect(JSON.parse(recorded[1]!.response!)).toMatchObject({ id: queued.id, status: 'completed' })
    expect(recorded[1]).toMatchObject({ dialect: 'responses', path: '/v1/responses', outcome: 'completed' })
    await send('/v1/responses', { input: 'Hello!', background: true })
    await expect.poll(() => recorded.length).toBe(3)
    expect(JSON.parse(recorded[2]!.response!)).toMatchObject({ status: 'failed', error: expect.anything() })
  })

  it('gets nothing of callers who are rejected, and of requests that it does not want', async () => {
    const { bodies, recorded } = recorder({ wants: ({ principal }) => principal.id === 'bob' })
    const { target } = scripted(() => whole('Hi'))
    const { post } = serving(target, { bodies })
    await post({})
    await post({ model: 'other' })
    const gateway = createGateway({
      authenticate: () => undefined,
      route: models({ m: target }),
      bodies: { ...bodies, wants: () => true },
    })
    const request = new Request('http://sluice.test/v1/chat/completions', { method: 'POST', body: '{}' })
    expect((await gateway.fetch(request)).status).toBe(401)
    await gateway.close({ drainMs: 1 })
    expect(recorded).toEqual([])
  })

  it('gets no more than maxBytes of each body, and no half of a character', async () => {
    const { bodies, recorded } = recorder({ maxBytes: 300 })
    const { target } = scripted(() => whole('🙂'.repeat(100)))
    const { post } = serving(target, { bodies })
    const sent = await (await post({ messages: [{ role: 'user', content: 'é'.repeat(150) }] })).text()
    const { request, response, requestOmitted, responseTruncated } = recorded[0]!
    expect({ request, requestOmitted, responseTruncated }).toEqual({
      request: undefined,
      requestOmitted: true,
      responseTruncated: true,
    })
    expect(sent.startsWith(response!)).toBe(true)
    const size = Buffer.byteLength(response!)
    expect(size <= 300 && size > 296).toBe(true)
    expect(response!.isWellFormed()).toBe(true)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken')) as unknown as boolean],
  ])('that %s fails no request', async (_, fail) => {
    for (const more of [{ wants: fail }, { record: fail }]) {
      const { bodies } = recorder(more)
      const { target } = scripted(() => whole('Hi'))
      const { post, events } = serving(target, { bodies })
      expect([(await post({})).status, (await post({})).status]).toEqual([200, 200])
      const warnings = () => events.filter(({ type }) => type === 'warning')
      await expect.poll(warnings).toMatchObject([{ code: 'body_recorder_failed' }])
    }
  })

  it('has to have its members', () => {
    const { target } = scripted(() => whole('Hi'))
    for (const bodies of [{}, { wants() {}, record() {}, maxBytes: 0 }, 1]) {
      expect(() => serving(target, { bodies: bodies as never })).toThrow(ConfigurationError)
    }
  })
})
