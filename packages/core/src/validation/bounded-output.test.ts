import { describe, expect, it } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import { scripted, serving, stop, stream, text, whole } from '../../test/support/scripted-gateway.ts'
import type { LimitRuleData } from '../contracts/principal.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { limits } from '../rate-limiting/limits.ts'
import { budget, concurrent, requests, tokens } from '../rate-limiting/rule.ts'
import { boundOutput, lowerMaxOutput } from './bounded-output.ts'

const input: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }

describe('boundedOutput', () => {
  it('gives a request without a bound the one that its room is for, and tells of it', () => {
    const bounded = boundOutput(chatRequest({ ...input }), 500)
    expect(bounded.request.chat()).toEqual({ ...input, max_completion_tokens: 500 })
    expect(bounded.adjustments).toEqual([
      { parameter: 'max_completion_tokens', action: 'defaulted', detail: '500' },
    ])
  })

  it.each([
    [{ max_tokens: 9 }, 500],
    [{ max_completion_tokens: 9 }, 500],
    [{ max_tokens: 0 }, 500],
    [{}, undefined],
  ])('leaves %j as it is where the room is for %s', (fields, bound) => {
    const given = chatRequest({ ...input, ...fields })
    const bounded = boundOutput(given, bound)
    expect(bounded.request).toBe(given)
    expect(bounded.request.chat()).toEqual({ ...input, ...fields })
    expect(bounded.adjustments).toEqual([])
  })

  it.each(['500', Number.NaN, -1, 0, 0.5, null])(
    'sends no bound upstream that is none, such as %o',
    async bound => {
      const { target, inputs } = scripted(() => whole('Hi'))
      let settled = 0
      const lease = { maxOutputTokens: bound as number, settle: () => void settled++ }
      const { post, ends } = serving(target, { limits: { admit: () => lease } })
      expect((await post({})).status).toBe(500)
      expect(ends()[0]?.error).toBeInstanceOf(TypeError)
      expect([inputs.length, settled]).toEqual([0, 1])
    },
  )
})

describe('lowerMaxOutput', () => {
  const { target } = scripted(() => whole('Hi'))
  const small = { ...target, capabilities: { maxOutputTokens: 5 } }
  const speaking = { ...small, provider: { ...target.provider, speaks: ['chat'] } }

  it('lowers the maximum for models that support less, where the request is translated', () => {
    const request = chatRequest({ ...input, max_completion_tokens: 9 })
    const passed = Object.assign(request, { native: () => ({ text: '{}', headers: {}, edits: [] }) })
    expect(lowerMaxOutput([target, small, speaking], passed)).toEqual([
      target,
      { ...small, parameters: { max_completion_tokens: 5 } },
      speaking,
    ])
  })

  it.each([{ max_completion_tokens: 5 }, {}])('changes nothing for %j', fields => {
    const targets = [target, small]
    expect(lowerMaxOutput(targets, chatRequest({ ...input, ...fields }))).toBe(targets)
  })
})

describe('the bound of a limited request', () => {
  const asked = async (limit: LimitRuleData, fields: object = {}) => {
    const { target, inputs } = scripted(() => ('stream' in fields ? stream([text('Hi'), stop]) : whole('Hi')))
    const { post, ends } = serving(target, {
      limits: limits([limit], { maxOutputTokens: 700 }),
      prices: () => 0.001,
    })
    const response = await post(fields)
    await response.text()
    expect(response.status).toBe(200)
    const { max_completion_tokens, max_tokens } = inputs[0] ?? {}
    const told = response.headers.get('x-sluice-adjustments')
    return { sent: { max_completion_tokens, max_tokens }, told, adjustments: ends()[0]?.adjustments }
  }
  const told = '"max_completion_tokens";action=defaulted;detail="700"'

  it.each([
    ['tokens', tokens(9_000).per('hour')],
    ['money', budget(1, 'usd').per('day')],
    ['tokens by a shadow', tokens(9_000).per('hour').dryRun()],
  ])('of %s is sent upstream, and the caller is told so', async (_, rule) => {
    for (const fields of [{}, { stream: true }, { max_tokens: null, max_completion_tokens: null }]) {
      const { sent, told: header, adjustments } = await asked(rule, fields)
      expect(sent).toEqual({ max_completion_tokens: 700, max_tokens: undefined })
      expect(header).toBe(told)
      expect(adjustments).toEqual([
        { parameter: 'max_completion_tokens', action: 'defaulted', detail: '700' },
      ])
    }
  })

  it.each([[{ max_tokens: 5 }], [{ max_completion_tokens: 5 }]])(
    'is the one of the caller: %j',
    async fields => {
      const { sent, told: header } = await asked(tokens(9_000).per('hour'), fields)
      expect(sent).toEqual({ max_tokens: undefined, max_completion_tokens: undefined, ...fields })
      expect(header).toBeNull()
    },
  )

  it('is no more than a model answers with, at the place that has the model', async () => {
    const small = scripted(() => Promise.reject(new UpstreamError('x', { kind: 'refused', status: 500 })))
    const large = scripted(() => whole('Hi'))
    const capabilities = { maxOutputTokens: 100 }
    const { post, ends } = serving([{ ...small.target, capabilities }, large.target], {
      limits: limits([tokens(9_000).per('hour')], { maxOutputTokens: 700 }),
    })
    expect((await post({})).status).toBe(200)
    expect([small, large].map(({ inputs }) => inputs[0]?.max_completion_tokens)).toEqual([100, 700])
    await post({ max_completion_tokens: 90 })
    expect(small.inputs[1]?.max_completion_tokens).toBe(90)
    const own = serving(
      { ...large.target, capabilities, parameters: { max_completion_tokens: 50 } },
      { limits: limits([tokens(9_000).per('hour')], { maxOutputTokens: 700 }) },
    )
    expect((await own.post({})).headers.get('x-sluice-adjustments')).toBe(
      '"max_completion_tokens";action=defaulted;detail="700", "max_completion_tokens";action=mapped;detail="50"',
    )
    expect(ends()[0]?.trace.candidates).toHaveLength(2)
  })

  it.each([
    ['requests', requests(9).per('hour')],
    ['concurrency', concurrent(9)],
    ['tokens of another model', tokens(9).per('hour').forModels('other')],
  ])('is none where only %s are counted', async (_, rule) => {
    const { sent, told: header } = await asked(rule)
    expect(sent).toEqual({ max_tokens: undefined, max_completion_tokens: undefined })
    expect(header).toBeNull()
  })
})
