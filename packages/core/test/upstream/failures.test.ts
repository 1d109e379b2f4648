import { describe, expect, it } from 'vitest'
import type { PartialChunk, Reply } from '../../src/contracts/provider.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import {
  eventsOf,
  forever,
  scripted,
  serving,
  stop,
  stream,
  text,
  turn,
  whole,
} from '../support/scripted-gateway.ts'

describe('a gateway whose upstream fails', () => {
  it('tells a stream that broke off by an error event, and never by an end mark', async () => {
    const broken = new UpstreamError('it died at 10.0.0.1', { kind: 'truncated' })
    const { post, ends } = serving(scripted(() => stream([text('Hel')], broken)).target)
    const response = await post({ stream: true })
    expect(response.status).toBe(200)
    const body = await response.text()
    expect(eventsOf(body).at(-1)).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code: 'bad_gateway' },
    })
    expect(body).not.toContain('[DONE]')
    expect(body).not.toContain('10.0.0.1')
    expect(body).not.toContain('finish_reason":"')
    expect(ends()).toMatchObject([
      { outcome: 'upstream_failed', status: 200, usageEstimated: true, error: broken },
    ])
  })

  it('answers a stream that fails before its first content with a real status', async () => {
    const overloaded = new UpstreamError('busy', { kind: 'refused', status: 503 })
    const role: PartialChunk = { choices: [{ index: 0, delta: { content: '' } }] }
    const response = await serving(scripted(() => stream([role], overloaded)).target).post({ stream: true })
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ error: { code: 'server_is_overloaded' } })
  })

  it('asks the next target when one fails before the first byte', async () => {
    const dead = scripted(() => Promise.reject(new UpstreamError('no', { kind: 'unreachable' })))
    const wellBehaved = scripted(() => stream([text('Hi'), stop]))
    const { post, events, ends } = serving([dead.target, wellBehaved.target])
    expect(await (await post({ stream: true })).text()).toContain('"Hi"')
    expect(events[1]).toMatchObject({ type: 'attempt_failed', attempt: { provider: 'scripted' } })
    expect(ends()[0]?.attempts).toHaveLength(2)
  })

  it.each([
    ['a whole answer without a choice', false, () => ({ kind: 'completion', completion: { choices: [] } })],
    ['a stream without a choice', true, () => stream([{ choices: [] }])],
    [
      'a stream whose iterator throws where it should reject',
      true,
      () => ({ kind: 'stream', chunks: { [Symbol.asyncIterator]: () => ({ next: thrown }) } }),
    ],
  ] as [string, boolean, () => Reply][])('asks the next target for %s', async (_, streamed, answer) => {
    const good = scripted(() => (streamed ? stream([text('Hi'), stop]) : whole('Hi')))
    const { post, ends } = serving([scripted(answer).target, good.target])
    const response = await post({ stream: streamed })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('"Hi"')
    expect(ends()[0]?.attempts).toMatchObject([{ error: { kind: 'garbled' } }, { error: undefined }])
    const alone = serving(scripted(answer).target)
    expect((await alone.post({ stream: streamed })).status).toBe(502)
    expect(alone.ends()[0]?.attempts).toMatchObject([{ error: { kind: 'garbled' } }])
  })

  it('does not ask elsewhere for a fault of the request', async () => {
    const strict = scripted(() =>
      Promise.reject(new UpstreamError("Bad 'x'", { kind: 'refused', status: 400, param: 'x' })),
    )
    const other = scripted(() => whole('Hi'))
    const response = await serving([strict.target, other.target]).post({})
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: { message: "Bad 'x'", type: 'invalid_request_error', param: 'x', code: null },
    })
    expect(other.signals).toHaveLength(0)
  })

  it.each([
    [{ kind: 'refused', status: 401 }, 502, 'upstream_auth'],
    [{ kind: 'refused', status: 403 }, 502, 'upstream_auth'],
    [{ kind: 'refused', status: 404 }, 404, 'model_not_found'],
    [{ kind: 'refused', status: 402 }, 429, 'insufficient_quota'],
    [{ kind: 'refused', status: 429, retryAfterMs: 1_500 }, 429, 'rate_limit_exceeded'],
    [{ kind: 'refused', status: 500 }, 502, 'bad_gateway'],
    [{ kind: 'refused', status: 302 }, 502, 'bad_gateway'],
    [{ kind: 'refused', status: 529 }, 503, 'server_is_overloaded'],
    [{ kind: 'refused', status: 400, code: 'context_length_exceeded' }, 400, 'context_length_exceeded'],
    [{ kind: 'garbled' }, 502, 'bad_gateway'],
    [{ kind: 'connect_timeout' }, 504, 'timeout'],
  ] as const)('tells the caller of %o as %i %s', async (details, status, code) => {
    const failing = scripted(() =>
      Promise.reject(new UpstreamError('sk-canary-123456 at https://vendor.example', details)),
    )
    const response = await serving(failing.target).post({})
    expect(response.status).toBe(status)
    const body = await response.text()
    expect(JSON.parse(body)).toMatchObject({ error: { code } })
    expect(body).not.toMatch(/canary|vendor\.example/)
    if (status === 429 && code === 'rate_limit_exceeded')
      expect(response.headers.get('retry-after')).toBe('2')
  })

  it('takes a reply that was not asked for as no answer', async () => {
    const source = scripted(() => stream([text('a')]))
    expect((await serving(source.target).post({})).status).toBe(502)
    expect(source.signals[0]?.aborted).toBe(true)
    expect((await serving(scripted(() => whole('Hi')).target).post({ stream: true })).status).toBe(502)
  })

  it.each([
    ['a URL', (url: string) => url],
    ['a Request', (url: string, init: RequestInit) => new Request(url, init)],
  ])(
    'breaks the body off where a fetch of %s is aborted in mid stream, as a fetch does',
    async (_, input) => {
      const { gateway } = serving(
        scripted(signal => ({
          kind: 'stream',
          chunks: (async function* () {
            yield [text('a')]
            await forever(signal)
          })(),
        })).target,
      )
      const body = JSON.stringify({
        model: 'm',
        stream: true,
        messages: [{ role: 'user', content: 'Hello!' }],
      })
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
      const left = new AbortController()
      const url = 'http://sluice.test/v1/chat/completions'
      const response = await gateway.fetch(input(url, init), { ...init, signal: left.signal })
      const reading = response.text()
      await turn()
      left.abort(new Error('gone'))
      await expect(reading).rejects.toThrow('gone')
    },
  )
})

function thrown(): never {
  throw new Error('no promise')
}
