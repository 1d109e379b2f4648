import { describe, expect, it } from 'vitest'
import type { Provider } from '../../src/contracts/provider.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import {
  eventsOf,
  forever,
  scripted,
  serving,
  stop,
  stream,
  text,
  whole,
} from '../support/scripted-gateway.ts'

describe('createGateway', () => {
  it('answers with every key of the protocol, in order', async () => {
    const { post, ends } = serving(scripted(() => whole('Hi.')).target, {
      generateId: () => 'f'.repeat(32),
      now: () => 1_700_000_000_999,
    })
    const response = await post({})
    expect(response.status).toBe(200)
    expect(response.headers.get('x-request-id')).toBe(`req_${'f'.repeat(32)}`)
    expect(await response.text()).toBe(
      `{"id":"chatcmpl-${'f'.repeat(29)}","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi.","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"system_fingerprint":null}`,
    )
    expect(ends()).toMatchObject([
      { outcome: 'completed', status: 200, model: 'm', principal: { id: 'ann' }, usageEstimated: false },
    ])
  })

  it('hands the upstream the request with its own model and without nulls', async () => {
    const { target, inputs } = scripted(() => whole('Hi.'))
    await serving(target).post({ temperature: null, top_k: 4 })
    expect(inputs[0]).toMatchObject({ top_k: 4 })
    expect(inputs[0]).not.toHaveProperty('temperature')
  })

  it('streams role, content, finish and the end mark, and usage only when asked', async () => {
    const reply = () =>
      stream(
        [text('Hel')],
        [text('lo'), stop],
        [{ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }],
      )
    const { post } = serving(scripted(reply).target)
    const plain = eventsOf(await (await post({ stream: true })).text()) as {
      choices: { delta: unknown; finish_reason: unknown }[]
    }[]
    expect(plain.slice(0, -1).map(({ choices }) => choices[0])).toEqual([
      {
        index: 0,
        delta: { role: 'assistant', content: '', refusal: null },
        logprobs: null,
        finish_reason: null,
      },
      { index: 0, delta: { content: 'Hel' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: 'lo' }, logprobs: null, finish_reason: null },
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    ])
    expect(plain.at(-1)).toBe('[DONE]')
    expect(plain[0]).not.toHaveProperty('usage')
    const counted = eventsOf(
      await (await post({ stream: true, stream_options: { include_usage: true } })).text(),
    ) as { usage: unknown }[]
    expect(counted[0]?.usage).toBeNull()
    expect(counted.at(-2)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    })
  })

  it('stands where a fetch is asked for', async () => {
    const { gateway } = serving(scripted(() => whole('Hi')).target)
    const { fetch } = gateway
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }] }),
    }
    expect((await fetch('http://sluice.test/v1/chat/completions', init)).status).toBe(200)
    const left = AbortSignal.abort(new Error('gone'))
    await expect(fetch('http://sluice.test/v1/chat/completions', { ...init, signal: left })).rejects.toThrow(
      'gone',
    )
  })

  it('refuses a configuration whole, with every fault named', () => {
    const options = {
      authenticate: 1,
      route: undefined,
      basePath: 'v1/',
      timeouts: { idleMs: -1, idle: 3 },
      maxAttempts: 0,
      limts: 3,
    }
    expect(() => createGateway(options as never)).toThrow(TypeError)
    expect(() => createGateway(options as never)).toThrow(
      /authenticate: got 1.*route: got undefined.*basePath: got 'v1\/'.*timeouts\.idleMs: got -1.*timeouts\.idle: got 3.*maxAttempts: got 0.*limts: got 3, expected no such option. Did you mean 'limits'\?/s,
    )
  })

  it('refuses what is no configuration at all, and timers that would fire at once', () => {
    expect(() => createGateway(undefined as never)).toThrow(/got undefined, expected an object/)
    const endless = { keepAliveMs: 3e9 }
    expect(() => serving(scripted(() => whole('')).target, { stream: endless })).toThrow(/at most 2147483647/)
    expect(() => serving(scripted(() => whole('')).target, { requestLimits: 5 as never })).toThrow(
      /requestLimits: got 5, expected an object/,
    )
  })

  it.each([
    [false, 401],
    [undefined, 401],
    ['', 500],
    [true, 500],
    [{}, 500],
    [{ id: '' }, 500],
  ])('lets nobody in by an authenticator that gives %j', async (principal, status) => {
    const model = scripted(() => whole('Hi'))
    const response = await serving(model.target, { authenticate: () => principal as never }).post({})
    expect(response.status).toBe(status)
    expect(model.signals).toHaveLength(0)
  })

  it('leaves out headers that HTTP cannot carry, and answers all the same', async () => {
    const limit = {
      admit: () => ({ headers: { 'x-plan': 'a\r\nb', 'x-tier': '\u0101', 'x-ok': 'ok' }, settle() {} }),
    }
    const response = await serving(scripted(() => whole('Hi')).target, { limits: limit }).post({})
    expect(response.status).toBe(200)
    expect([...response.headers.keys()].filter(name => /x-(plan|tier|ok)/.test(name))).toEqual(['x-ok'])
  })

  it('lets a policy refuse in its own words', async () => {
    const limit = {
      admit: () => {
        throw new GatewayError('insufficient_quota')
      },
    }
    const response = await serving(scripted(() => whole('Hi')).target, { limits: limit }).post({})
    expect(response.status).toBe(429)
    expect(response.headers.get('x-should-retry')).toBe('false')
  })

  it('says nothing of what went wrong inside', async () => {
    const { post, ends } = serving(scripted(() => whole('Hi')).target, {
      authorize: () => {
        throw new Error('the table users is gone')
      },
    })
    const response = await post({})
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('users')
    expect(ends()[0]).toMatchObject({
      outcome: 'internal_error',
      error: { message: 'the table users is gone' },
    })
  })

  it.each([
    [
      'an upstream that does not answer',
      { firstByteMs: 20, responseMs: 20 },
      { transport: (_: unknown, signal: AbortSignal) => forever(signal) },
    ],
    [
      'all of it taking too long',
      { totalMs: 20 },
      { transport: (_: unknown, signal: AbortSignal) => forever(signal) },
    ],
  ])('gives up on %s with 504', async (_, timeouts, more) => {
    const response = await serving(scripted(() => whole('Hi'), more as Partial<Provider>).target, {
      timeouts,
    }).post({})
    expect(response.status).toBe(504)
  })
})
