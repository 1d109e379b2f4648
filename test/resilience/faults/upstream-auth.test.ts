import { type Steps, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { framing } from '../../../packages/providers/test/vendors/properties/answer-streams.ts'
import { exceptionFrame } from '../../../packages/providers/test/vendors/replay/event-frames.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'
import { vendorKey, vendors } from './harness/wires.ts'

const words = `Incorrect API key provided: ${vendorKey}.`
const google = (status: number) => ({
  error: {
    code: status,
    message: words,
    status: status === 401 ? 'UNAUTHENTICATED' : 'PERMISSION_DENIED',
  },
})
const invalidKey = {
  error: {
    code: 400,
    message: 'API key not valid. Please pass a valid API key.',
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
  },
}
const openai = {
  error: { message: words, type: 'invalid_request_error', code: 'invalid_api_key', param: null },
}
const anthropic = (type: string) => ({ type: 'error', error: { type, message: words } })
const amazon = (status: number, type: string): Steps =>
  steps.reply(
    { message: words },
    { status, headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` } },
  )
const events = (wire: 'chat' | 'messages' | 'generate', payload: object, name = 'message') => {
  const { type, frame } = framing[wire]
  return steps.stream([frame({ name, payload })], { headers: { 'content-type': type } })
}

/** Ways in which vendors say that the gateway's own key is no good. `streamed`: only in a stream. */
const refusals: readonly (readonly [how: string, vendor: string, steps: Steps, streamed?: true])[] = [
  ['401', 'openai', steps.reply(openai, { status: 401 })],
  ['403', 'openai', steps.reply(openai, { status: 403 })],
  [
    '403 of HTML',
    'openai',
    steps.reply('<html>no</html>', { status: 403, headers: { 'content-type': 'text/html' } }),
  ],
  ['401 of nothing', 'groq', steps.reply('', { status: 401 })],
  [
    '400 for a wrong key',
    'mistral',
    steps.reply({ error: words, code: 'invalid argument' }, { status: 400 }),
  ],
  ['401', 'azure', steps.reply({ error: { code: '401', message: words } }, { status: 401 })],
  ['401', 'anthropic', steps.reply(anthropic('authentication_error'), { status: 401 })],
  ['403', 'anthropic', steps.reply(anthropic('permission_error'), { status: 403 })],
  ['an event', 'anthropic', events('messages', anthropic('authentication_error'), 'error'), true],
  ['an event', 'openai', events('chat', openai), true],
  ['401', 'gemini', steps.reply(google(401), { status: 401 })],
  ['403', 'gemini', steps.reply(google(403), { status: 403 })],
  ['400 for a wrong key', 'gemini', steps.reply(invalidKey, { status: 400 })],
  ['an event', 'gemini', events('generate', google(403)), true],
  ['401', 'vertex with gemini', steps.reply(google(401), { status: 401 })],
  ['401', 'vertex with claude', steps.reply([google(401)], { status: 401 })],
  ['an unknown client', 'bedrock with claude', amazon(403, 'UnrecognizedClientException')],
  ['access denied', 'bedrock with nova', amazon(403, 'AccessDeniedException')],
  ['an expired token', 'bedrock with nova', amazon(400, 'ExpiredTokenException')],
  [
    'an exception',
    'bedrock with nova',
    steps.stream([exceptionFrame('accessDeniedException', { message: words })], {
      headers: { 'content-type': framing.converse.type },
    }),
    true,
  ],
]

describe('F56 an upstream refuses the gateway’s own key', () => {
  overServers(mount => {
    const rows = refusals.map(([how, name, script, streamed = false]) => ({
      how,
      name,
      steps: script,
      streamed,
    }))
    it.each(rows)(
      '$how of $name is a 502, not the caller’s fault',
      async ({ name, steps: script, streamed }) => {
        const closed = await upstreamDuring(script)
        const backup = await upstreamDuring(steps.answer({ text: 'the other one' }))
        const first = vendors[name]!.at(closed.url)
        const second = vendors.openai!.at(backup.url)
        const { site, end, events } = await startService(mount, {
          models: { alone: first, two: [first, second] },
        })
        for (const stream of streamed ? [true] : [false, true]) {
          const refused = await site.chat({ model: 'alone', stream })
          expect(refused.status).toBe(502)
          const { error } = refused.json as { error: { message: string } }
          expect(error).toMatchObject({ type: 'server_error', code: 'upstream_auth', param: null })
          expect(refused.headers).not.toHaveProperty('www-authenticate')
          expect(refused.body).not.toMatch(/canary|api key|amazon/i)
          const passedOn = await site.chat({ model: 'two', stream })
          expect(passedOn.status).toBe(200)
          expect(passedOn.body).toContain('other')
        }
        const error = expect.objectContaining({ kind: 'refused', status: expect.toSatisfy(isOfAccess) })
        const failed = { called: true, error }
        expect(await end(1)).toMatchObject({ outcome: 'upstream_failed', status: 502, attempts: [failed] })
        expect(await end(2)).toMatchObject({ outcome: 'completed', attempts: [failed, { error: undefined }] })
        // Once out of rotation it is asked by nobody: what another key may have mended is tried again later.
        const rotating = await startService(mount, {
          models: { m: [first, second] },
          breaker: { failures: 1 },
        })
        const asked = closed.requests.length
        for (const n of [1, 2, 3]) {
          expect((await rotating.site.chat({ model: 'm', stream: true })).status).toBe(200)
          expect((await rotating.end(n)).attempts).toHaveLength(n === 1 ? 2 : 1)
        }
        expect(closed.requests).toHaveLength(asked + 1)
        // Whoever watches hears of it although the caller got an answer.
        expect(events).toContainEqual(
          expect.objectContaining({ type: 'attempt_failed', attempt: expect.objectContaining(failed) }),
        )
      },
    )

    it('is out of rotation for a minute after one 401, and whoever asks for it alone is told why', async () => {
      const closed = await upstreamDuring(steps.reply(openai, { status: 401 }))
      const service = await startService(mount, {
        models: { m: vendors.openai!.at(closed.url) },
        breaker: {},
        retry: {},
      })
      const [first, second] = [
        await service.site.chat({ model: 'm' }),
        await service.site.chat({ model: 'm' }),
      ]
      expect([first.status, second.status, second.headers['retry-after']]).toEqual([502, 502, '60'])
      expect(first.headers).not.toHaveProperty('retry-after')
      expect(second.json).toMatchObject({ error: { code: 'upstream_auth' } })
      expect(closed.requests).toHaveLength(1)
      expect(service.events).toContainEqual(
        expect.objectContaining({ type: 'target', state: 'cooldown', reason: 'upstream_auth' }),
      )
    })
  })
})

function isOfAccess(status: unknown): boolean {
  return status === 401 || status === 403
}
