import { type ModelEntry, UpstreamError } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { local } from '@sluice/providers/local'
import { misbehaviours, readSse, type Steps, startUpstream, steps } from '@sluice/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { expectError } from './expect-error.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const refusal = (status: number, error: object, headers = {}) => steps.reply({ error }, { status, headers })
const busy = { message: 'at 10.1.2.3', type: 'server_error', param: null, code: null }
const answers: Record<string, Steps> = {
  ...Object.fromEntries(Object.entries(misbehaviours).filter(([, script]) => !('early' in script))),
  'status-500': refusal(500, busy),
  'status-503': refusal(503, busy, { 'retry-after': '7' }),
  'status-429': refusal(429, busy, { 'retry-after': '7' }),
  'status-401': refusal(401, busy),
  'no-quota': refusal(429, { ...busy, type: 'insufficient_quota', code: 'insufficient_quota' }),
}
const upstream = await startUpstream(
  ({ json }) => answers[String(json?.model)] ?? steps.reply(undefined, { status: 400 }),
)
const broken = openaiCompatible({ name: 'broken', baseURL: upstream.baseURL, apiKey: 'sk-upstream-canary' })

const secret = 'cannot read the file settings.json on host quux'
const throwing: Record<string, ModelEntry> = {
  'throwing-route': () => {
    throw new Error(secret)
  },
  'throwing-text': () => {
    throw secret
  },
  'throwing-provider': {
    model: 'm',
    provider: {
      name: 'throwing',
      encode: () => {
        throw new TypeError(secret)
      },
      decode: () => {
        throw new UpstreamError(secret, { kind: 'garbled' })
      },
    },
  },
  'cut-late': local({ script: () => ({ text: 'one two three', cutAfter: 2 }) })('cut-late'),
}
const table = Object.fromEntries(Object.keys(answers).map(name => [name, broken(name)]))
const makeGateway = () =>
  testGateway({ ...table, ...throwing }, { timeouts: { firstByteMs: 500, responseMs: 2_000, idleMs: 500 } })

afterAll(() => upstream.close())

overMounts(
  makeGateway,
  site => {
    describe.each([false, true])('stream: %s', stream => {
      it.each(Object.keys(throwing).slice(0, 3))(
        'C39 says nothing of what went wrong inside: %s',
        async model => {
          const answer = await site.chat({ model, stream })
          expectError(answer, 500, { type: 'server_error', code: null, param: null })
          expect(Buffer.from(answer.received).toString()).not.toMatch(/settings\.json|quux|at .*\.ts|Error:/)
        },
      )

      it('C110 tells of a quota that is used up', async () => {
        const answer = await site.chat({ model: 'no-quota', stream })
        expectError(answer, 429, { type: 'insufficient_quota', code: 'insufficient_quota' })
        expect(answer.headers['x-should-retry']).toBe('false')
        expect(answer.headers).not.toHaveProperty('retry-after')
      })

      it('C111 tells of a model that is overloaded', async () => {
        const answer = await site.chat({ model: 'status-503', stream })
        expectError(answer, 503, { type: 'service_unavailable_error', code: 'server_is_overloaded' })
        expect(answer.headers['retry-after']).toBe('7')
      })

      it('C112 tells of an upstream that is silent', async () => {
        const answer = await site.chat({ model: 'hang-before-headers', stream })
        expectError(answer, 504, { type: 'server_error', code: 'timeout' })
      })
    })

    const refused: [string, object, object, number][] = [
      ['no key', {}, { key: null }, 401],
      ['an unknown key', {}, { key: 'nobody' }, 401],
      ['no scope', {}, { key: 'no-scope-key' }, 403],
      ['no permission', { model: 'html' }, { key: 'local-only-key' }, 403],
      ['an unknown model', { model: 'nope' }, {}, 404],
      ['a wrong method', {}, { method: 'PUT' }, 405],
      ['a wrong value', { temperature: 9 }, {}, 400],
      ['wrong JSON', {}, { body: '{' }, 400],
      ['a wrong content type', {}, { headers: { 'content-type': 'text/plain' } }, 400],
      ['a limit of the upstream', { model: 'status-429' }, {}, 429],
      ['a quota', { model: 'no-quota' }, {}, 429],
      ['an internal fault', { model: 'throwing-route' }, {}, 500],
      ['a failing upstream', { model: 'status-500' }, {}, 502],
      ['a wrong upstream key', { model: 'status-401' }, {}, 502],
      ['an overloaded upstream', { model: 'status-503' }, {}, 503],
      ['a silent upstream', { model: 'hang-before-headers' }, {}, 504],
    ]
    it.each(refused)(
      'C40 C41 an error for %s has every key and its headers',
      async (_, fields, asking, status) => {
        const answer = await site.chat(fields, asking)
        expectError(answer, status, { type: expect.any(String) as unknown as string })
        expect(Buffer.from(answer.received).toString()).not.toMatch(/canary|10\.1\.2\.3|127\.0\.0\.1/)
      },
    )

    it.each([
      'cut-late',
      'hang-mid-stream',
      'cut-mid-chunk',
      'cut-between-chunks',
      'reset-mid-stream',
      'error-mid-stream',
      'end-without-finish',
      'invalid-json-event',
    ])('C97 ends a stream that broke with an error event: %s', async model => {
      const answer = await site.chat({ model, stream: true })
      if (model === 'invalid-json-event') return expectError(answer, 502, { type: 'server_error' })
      expect(answer.status, answer.body).toBe(200)
      expect(answer.complete).toBe(true)
      const { events, chunks, done } = await readSse(answer.bytes)
      expect(done).toBe(false)
      expect(chunks.length).toBe(events.length)
      const last = chunks.at(-1)!
      expect(Object.keys(last)).toEqual(['error'])
      expect(Object.keys(last.error!).sort()).toEqual(['code', 'message', 'param', 'type'])
      for (const chunk of chunks.slice(0, -1)) expect(chunk).not.toHaveProperty('error')
      for (const choice of chunks.flatMap(({ choices }) => choices ?? []))
        expect(choice.finish_reason).toBeNull()
    })

    it.each([
      'cut-before-headers',
      'cut-within-headers',
      'reset-before-headers',
      'garbage',
      'html',
      'empty',
      'redirect',
      'invalid-json-event',
      'status-500',
    ])('C98 answers a stream that fails at once with a status: %s', async model => {
      expectError(await site.chat({ model, stream: true }), 502, { type: 'server_error' })
    })

    it.each([
      'cut-before-headers',
      'cut-mid-body',
      'reset-before-headers',
      'garbage',
      'html',
      'empty',
      'invalid-json',
      'redirect',
      'content-length-too-short',
    ])('C98 answers what fails without a stream with a status: %s', async model => {
      expectError(await site.chat({ model }), 502, { type: 'server_error' })
    })
  },
  { inTurn: false },
)
