import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import type { Lease, LimitContext } from '../contracts/limiter.ts'
import type { Operation } from '../contracts/outline.ts'
import type { LimitRuleData, Principal } from '../contracts/principal.ts'
import type { Target } from '../contracts/provider.ts'
import { GatewayError } from '../errors/errors.ts'
import { limitHeaders, reportedLimits } from '../http/limit-headers.ts'
import type { JsonObject, Usage } from '../protocol/chat.ts'
import { limits } from './limits.ts'
import type { LimitsOptions } from './limits-options.ts'
import { memoryLimitStore } from './memory-limit-store.ts'
import { budget, concurrent, requests, tokens } from './rule.ts'

const noon = Date.parse('2026-11-18T12:00:00Z')
const target: Target = {
  model: 'upstream',
  provider: {
    name: 'p',
    encode: () => ({ method: 'POST', url: 'p:', headers: {} }),
    decode: () => Promise.reject(),
  },
}
const usageOf = (prompt: number, completion: number): Usage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
})

/** A limiter by a clock that is set by hand, and a short way to ask it. */
function limiter(rules: readonly LimitRuleData[], options: LimitsOptions = {}) {
  const clock = { now: noon }
  const store = memoryLimitStore({ now: () => clock.now })
  const made = limits(rules, { store, ...options })
  const ask = (
    who: string | Principal = 'ann',
    { model = 'm', bytes = 300, ...fields }: JsonObject & { model?: string; bytes?: number } = {},
    { operation = 'generate', ...context }: Partial<LimitContext> & { operation?: Operation } = {},
  ): Lease & { readonly headers: Readonly<Record<string, string>> } => {
    const lease = made.admit(
      typeof who === 'string' ? { id: who } : who,
      chatDraft({ operation, model, body: { model, ...fields }, bytes }),
      {
        requestId: 'req_1',
        entry: model,
        targets: [target],
        // A dollar for a million tokens of a prompt, four for those of a completion.
        price: ({ prompt_tokens, completion_tokens }) => prompt_tokens * 1e-6 + completion_tokens * 4e-6,
        signal: new AbortController().signal,
        ...context,
      },
    )
    if (lease instanceof Promise) throw new Error('it made the caller wait')
    return { ...lease, headers: limitHeaders(lease, undefined, Date.now) }
  }
  const refused = (...asking: Parameters<typeof ask>): GatewayError => {
    try {
      ask(...asking)
    } catch (error) {
      if (GatewayError.is(error)) return error
      throw error
    }
    throw new Error('it was admitted')
  }
  return { ask, refused, clock, store }
}

/** The headers of a rejection in the default spelling. */
const headersOf = (error: GatewayError) => ({
  ...limitHeaders(reportedLimits(error) ?? {}, undefined, Date.now),
  ...error.headers,
})

describe('limits', () => {
  it('answers at once, where its store does', () => {
    expect(limiter([requests(1).per('day'), tokens(9_000).per('day'), concurrent(1)]).ask()).toHaveProperty(
      'settle',
    )
  })

  it('has room without end for whom no rule concerns', () => {
    const { ask, store } = limiter([requests(1).per('day').forModels('large')])
    for (let count = 0; count < 3; count++) expect(ask().headers).toEqual({})
    expect(store.held).toBe(0)
  })

  it('counts no tokens of prompts that are counted, unless a rule says so: a burst of them locks nobody out', () => {
    const counting = { operation: 'countTokens' } as const
    const own = { id: 'ann', limits: [requests(2).per('day')] }
    const { ask, refused, store } = limiter([requests(1).per('day'), tokens(9_000).per('day'), concurrent(1)])
    for (let count = 0; count < 25; count++) ask(own, {}, counting)
    expect(store.held).toBe(0)
    ask(own)
    refused(own, {}, { operation: 'embed' })
    ask(own, {}, counting)
    const named = limiter([requests(1).per('day').forOperations('countTokens')], { store })
    named.ask('ann')
    named.ask('ann', {}, { operation: 'embed' })
    named.ask('ann', {}, counting)
    named.refused('ann', {}, counting)
    named.ask('bob', {}, counting)
    named.ask('ann')
  })

  it('tells which rule for an operation would have refused', () => {
    const { ask } = limiter([requests(1).per('day').forOperations('embed').dryRun()])
    const embedding = { operation: 'embed' } as const
    ask('ann', {}, embedding)
    expect(ask('ann').wouldHaveRefused).toBeUndefined()
    expect(ask('ann', {}, embedding).wouldHaveRefused).toEqual([
      "requests(1).per('day').forOperations('embed')",
    ])
  })

  it('takes room of all rules or of none', () => {
    const each = requests(5).per('hour')
    const { ask, refused, store } = limiter([each, requests(1).per('hour').by('gateway')])
    expect(ask('ann').headers['x-ratelimit-remaining-requests']).toBe('0')
    refused('bob')
    const { headers } = limiter([each], { store }).ask('bob')
    expect(headers['x-ratelimit-remaining-requests']).toBe('4')
  })

  it('counts by tag, by model, by combinations and by names of your own', () => {
    const by = (rule: LimitRuleData) => limiter([rule])
    const teams = by(requests(1).per('hour').by('tag:team'))
    teams.ask({ id: 'ann', tags: { team: 'search' } })
    teams.refused({ id: 'bob', tags: { team: 'search' } })
    teams.ask({ id: 'cid', tags: { team: 'ads' } })
    teams.ask('dan')
    teams.refused('eve')
    const models = by(requests(1).per('hour').by('key', 'model'))
    models.ask('ann', { model: 'a' })
    models.ask('ann', { model: 'b' })
    models.ask('bob', { model: 'a' })
    models.refused('ann', { model: 'a' })
    const named = by(
      requests(1)
        .per('hour')
        .by((_, { body }) => (typeof body.user === 'string' ? body.user : undefined)),
    )
    named.ask('ann', { user: 'x' })
    named.refused('bob', { user: 'x' })
    named.ask('ann')
    named.ask('ann')
  })

  it('gives all of it back where no model answered, whatever was reserved', () => {
    const { ask, store } = limiter([
      tokens(1_000).per('hour'),
      concurrent(1),
      budget(0.01, 'usd').per('ever'),
    ])
    for (let count = 0; count < 20; count++) void ask('ann', { max_tokens: 900 }).settle(undefined, null)
    expect(store.held).toBe(0)
    expect(ask('ann', { max_tokens: 900 }).headers['x-ratelimit-remaining-tokens']).toBe('0')
  })

  it('gives back nothing of requests: one that fails counts', () => {
    const { ask, refused } = limiter([requests(1).per('hour')])
    void ask().settle(undefined, null)
    refused()
  })

  it('settles only once', () => {
    const { ask } = limiter([tokens(1_000).per('hour')])
    const first = ask('ann', { max_tokens: 400 })
    ask('ann', { max_tokens: 300 })
    void first.settle(usageOf(0, 0), null)
    void first.settle(usageOf(0, 0), null)
    expect(ask('ann', { max_tokens: 0, bytes: 3 }).headers['x-ratelimit-remaining-tokens']).toBe('599')
  })

  it('holds in memory until it is settled, however long that takes', () => {
    const rules = [concurrent(1), tokens(1_000).per('hour'), budget(1, 'usd').per('ever')]
    const { ask, refused, clock, store } = limiter(rules, { leaseMs: 1_000 })
    const first = ask('ann', { max_tokens: 400 })
    clock.now += 30_000
    refused()
    expect(store.held).toBe(1)
    void first.settle(usageOf(100, 0), 0.25)
    void first.settle(undefined, null)
    expect(store.held).toBe(0)
    expect(ask('ann', { max_tokens: 400 }).headers['x-ratelimit-remaining-tokens']).toBe('400')
  })

  it('shares a store in memory with whoever claims by id', () => {
    const { ask, refused, store } = limiter([concurrent(2)])
    const id = 'f'.repeat(32)
    const counters = [{ kind: 'lease', key: 'concurrent:key=~0020ann', limit: 2, dryRun: false }] as const
    const first = ask()
    expect(store.admit({ id, ttlMs: 1_000, counters }).allowed).toBe(true)
    refused()
    void first.settle(undefined, null)
    expect(store.held).toBe(1)
    ask()
    refused()
    store.settle({ id, counters, charged: [0] })
    ask()
  })

  it('asks a store in memory whose methods somebody has replaced by those', () => {
    const store = memoryLimitStore()
    const admit = vi.spyOn(store, 'admit')
    const { ask } = limiter([concurrent(1)], { store })
    void ask().settle(undefined, null)
    expect(admit).toHaveBeenCalledOnce()
    expect(store.held).toBe(0)
  })

  it('lets in what a shadow would refuse, and names the shadow', () => {
    const { ask } = limiter([
      requests(9).per('hour'),
      requests(2).per('hour').by('gateway').dryRun(),
      concurrent(3).dryRun(),
      tokens(5).per('day').dryRun(),
    ])
    const wouldHaveRefused = [1, 2, 3, 4].map(() => {
      const lease = ask()
      expect(lease.headers).toMatchObject({ 'x-ratelimit-limit-requests': '9' })
      expect(lease.headers).not.toHaveProperty('x-ratelimit-limit-tokens')
      expect(lease).not.toHaveProperty('spends')
      return lease.wouldHaveRefused
    })
    const [gateway, atOnce, day] = [
      "requests(2).per('hour').by('gateway')",
      'concurrent(3)',
      "tokens(5).per('day')",
    ]
    expect(wouldHaveRefused).toEqual([[day], [day], [gateway, day], [gateway, atOnce, day]])
    expect(limiter([requests(2).per('hour').dryRun()]).ask()).not.toHaveProperty('wouldHaveRefused')
  })
})

describe('what is reserved, and settled', () => {
  it('of tokens are prompt and bound; what was used stays', () => {
    const { ask } = limiter([tokens(10_000).per('hour')])
    const lease = ask('ann', { max_tokens: 1_900 })
    expect(lease.headers).toMatchObject({
      'x-ratelimit-limit-tokens': '10000',
      'x-ratelimit-remaining-tokens': '8000',
      'x-ratelimit-reset-tokens': '12m0s',
    })
    void lease.settle(usageOf(100, 150), null)
    expect(ask('ann', { max_tokens: 0, bytes: 3 }).headers['x-ratelimit-remaining-tokens']).toBe('9749')
  })

  it('F70 of tokens may be less than was used: the debt is waited for, once', () => {
    const { ask, refused, clock } = limiter([tokens(1_000).per('minute')])
    void ask('ann', { max_tokens: 400 }).settle(usageOf(100, 1_400), null)
    const refusal = refused('ann', { max_tokens: 400 })
    expect(refusal.headers['retry-after-ms']).toBe('60000')
    clock.now += 60_000
    void ask('ann', { max_tokens: 400 }).settle(usageOf(0, 0), null)
    clock.now += 30_000
    expect(ask('ann', { max_tokens: 0, bytes: 3 }).headers['x-ratelimit-remaining-tokens']).toBe('999')
  })

  it.each<[JsonObject, number]>([
    [{}, 4_096],
    [{ max_tokens: 7 }, 7],
    [{ max_completion_tokens: 9, n: 3 }, 9],
    [{ max_tokens: null }, 4_096],
  ])('for %j has a bound of %i tokens for a choice', (fields, bound) => {
    expect(limiter([tokens(99_000).per('day')]).ask('ann', fields).maxOutputTokens).toBe(bound)
  })

  it('has no bound where neither tokens nor money are counted', () => {
    expect(limiter([requests(9).per('day'), concurrent(9)]).ask()).not.toHaveProperty('maxOutputTokens')
    expect(limiter([tokens(9).per('day').forModels('x')]).ask()).not.toHaveProperty('maxOutputTokens')
    const dryRun = limiter([tokens(9).per('day').dryRun()], { maxOutputTokens: 50 })
    expect(dryRun.ask().maxOutputTokens).toBe(50)
  })

  it('of money is the most that it can cost; what it did cost stays', () => {
    // 100 tokens of prompt and 1,000 of completion: 4.1 thousandths of a dollar.
    const { ask, refused } = limiter([budget(0.01, 'usd').per('day')])
    const asking = ['ann', { max_tokens: 1_000 }] as const
    const first = ask(...asking)
    expect(first.spends).toBe(true)
    const second = ask(...asking)
    expect(refused(...asking).reason).toBe('insufficient_quota')
    void first.settle(usageOf(100, 0), 0.0001)
    const third = ask(...asking)
    expect(refused(...asking).reason).toBe('insufficient_quota')
    void second.settle(undefined, null)
    void third.settle(usageOf(100, 1_000), 0.0041)
    ask(...asking)
  })

  it('of money is charged where nobody knows what it cost', () => {
    const { ask, refused } = limiter([budget(0.01, 'usd').per('day')])
    const asking = ['ann', { max_tokens: 2_000 }] as const
    void ask(...asking).settle(usageOf(1, 1), null)
    refused(...asking)
  })

  it('of money fits to the billionth of a dollar', () => {
    const { ask, refused } = limiter([budget(0.05, 'usd').per('ever')])
    const free = { price: () => 0 }
    for (let count = 0; count < 4; count++) void ask('ann', {}, free).settle(usageOf(1, 1), 0.0125)
    ask('ann', {}, free)
    refused('ann', {}, { price: () => 1e-9 })
  })

  it('lets a model in that is free, and none of which nobody knows the price', () => {
    const { ask, refused } = limiter([budget(1, 'usd').per('day')])
    ask('ann', {}, { price: () => 0 })
    expect(refused('ann', {}, { price: () => null })).toMatchObject({
      status: 403,
      reason: 'model_not_priced',
    })
    const other = { ...target }
    const half = { targets: [target, other], price: (_: Usage, of: Target) => (of === other ? null : 0.1) }
    expect(refused('ann', {}, half).reason).toBe('model_not_priced')
  })

  it('passes over a dry-run budget where there is no price, and asks for none where no rule needs it', () => {
    const price = () => {
      throw new Error('it was asked')
    }
    limiter([requests(1).per('day'), budget(1, 'usd').per('day').forModels('x')]).ask('ann', {}, { price })
    const lease = limiter([budget(1, 'usd').per('day').dryRun()]).ask('ann', {}, { price: () => null })
    expect(lease).toEqual({ headers: {}, settle: expect.any(Function) })
  })

  it('lets pass what has no price where every budget of the caller allows it, and counts what has one', () => {
    const free = budget(0.01, 'usd').per('day').allowUnpriced()
    const unpriced = { price: () => null }
    const { ask, refused } = limiter([free])
    const lease = ask('ann', {}, unpriced)
    expect([lease.spends, lease.maxOutputTokens]).toEqual([undefined, undefined])
    void lease.settle(usageOf(1_000_000, 1_000_000), null)
    ask('ann', { max_tokens: 5 }, { price: () => 0.009 })
    expect(refused('ann', {}, { price: () => 0.009 }).reason).toBe('insufficient_quota')
    const other = { id: 'ann', limits: [budget(5, 'usd').per('day')] }
    // The gateway's own budget, of the same count, is not loosened by the caller's.
    const strict = limiter([budget(5, 'usd').per('day')])
    expect(strict.refused({ id: 'ann', limits: [free] }, {}, unpriced).reason).toBe('model_not_priced')
    expect(limiter([free]).refused(other, {}, unpriced).reason).toBe('model_not_priced')
  })

  it('keeps what was spent when a budget is raised', () => {
    const store = memoryLimitStore({ now: () => noon })
    const asking = ['ann', { max_tokens: 1_000 }] as const
    void limiter([budget(0.005, 'usd').per('day')], { store })
      .ask(...asking)
      .settle(usageOf(100, 1_000), 0.0041)
    const raised = limiter([budget(0.0085, 'usd').per('day')], { store })
    void raised.ask(...asking).settle(usageOf(100, 1_000), 0.0041)
    raised.refused(...asking)
  })
})

describe('rules of a principal', () => {
  const ann = (limits: unknown): Principal => ({ id: 'ann', limits: limits as readonly LimitRuleData[] })

  it('count beside those of the gateway', () => {
    const { ask, refused } = limiter([requests(3).per('hour')])
    const two = ann([requests(2).per('hour')])
    expect(ask(two).headers['x-ratelimit-limit-requests']).toBe('2')
    ask(two)
    expect(refused(two).message).toContain('Limit 2')
    ask('bob')
    expect(ask({ id: 'ann' }).headers['x-ratelimit-remaining-requests']).toBe('0')
  })

  it('count alone where the gateway has none', () => {
    const { ask, refused } = limiter([])
    ask(ann([{ kind: 'requests', limit: 1, per: 'hour' }]))
    refused(ann([{ kind: 'requests', limit: 1, per: 'hour' }]))
    ask('ann')
  })

  it('are one with those of the gateway where they count the same: the least holds', () => {
    const { ask, refused, store } = limiter([concurrent(3), budget(1, 'usd').per('day')])
    const own = ann([concurrent(1), concurrent(2), budget(0.005, 'usd').per('day')])
    const lease = ask(own, { max_tokens: 1_000 })
    expect(refused(own, { max_tokens: 1 }).message).toContain('concurrent requests: Limit 1')
    void lease.settle(usageOf(100, 1_000), 0.0041)
    expect(refused(own, { max_tokens: 1_000 }).reason).toBe('insufficient_quota')
    ask('ann', { max_tokens: 1_000 })
    expect(store.held).toBe(1)
  })

  it.each([
    [[{ kind: 'requests', limit: 0, per: 'hour' }]],
    [[requests(1).per('hour'), { kind: 'seats' }]],
    [[null]],
    ['requests'],
    [{ kind: 'requests', limit: 1, per: 'hour' }],
    [7],
    [null],
  ])('that cannot be used let nobody in: %j', own => {
    const { ask, store } = limiter([concurrent(1)])
    for (let count = 0; count < 2; count++) {
      expect(() => ask(ann(own))).toThrow(/^The limits of the principal 'ann': /)
      expect(() => ask(ann(own))).toThrow(TypeError)
    }
    expect(store.held).toBe(0)
  })
})

describe('what is told of limits', () => {
  it('is of each kind the rule with the least share left', () => {
    const { ask } = limiter([
      requests(10).per('minute'),
      requests(100).per('day').by('gateway'),
      tokens(100_000).per('minute'),
      tokens(5_000).per('day'),
    ])
    expect(ask('ann', { max_tokens: 900 }).headers).toEqual({
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-reset-requests': '6s',
      'x-ratelimit-limit-tokens': '5000',
      'x-ratelimit-remaining-tokens': '4000',
      'x-ratelimit-reset-tokens': '4h48m0s',
    })
  })

  it('is of a refusal the rule that refuses, and the other kind as it stands', () => {
    const { ask, refused } = limiter([
      requests(1).per('minute'),
      requests(9).per('day'),
      tokens(9_000).per('hour'),
    ])
    void ask('ann', { max_tokens: 900 }).settle(usageOf(100, 900), null)
    expect(headersOf(refused('ann', { max_tokens: 900 }))).toEqual({
      'x-ratelimit-limit-requests': '1',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m0s',
      'x-ratelimit-limit-tokens': '9000',
      'x-ratelimit-remaining-tokens': '8000',
      'x-ratelimit-reset-tokens': '6m40s',
      'retry-after': '60',
      'retry-after-ms': '60000',
    })
  })

  it('is of the draft of the IETF every rate, where that is asked for', () => {
    const rules = [
      requests(10).per('minute'),
      requests(50).per('day'),
      tokens(9_000).per('hour'),
      concurrent(2),
    ]
    expect(limiter(rules).ask()).not.toHaveProperty('headers.ratelimit')
    const { headers } = limiter(rules, { ietfHeaders: true }).ask('ann', { max_tokens: 900 })
    expect(headers['ratelimit-policy']).toBe(
      '"requests";q=10;w=60, "requests-2";q=50;w=86400, "tokens";q=9000;w=3600',
    )
    expect(headers.ratelimit).toBe('"requests";r=9;t=6, "requests-2";r=49;t=1728, "tokens";r=8000;t=400')
    expect(limiter([concurrent(1)], { ietfHeaders: true }).ask().headers).toEqual({})
  })

  it('is on a rejection without names of headers, and where nobody prints it', () => {
    const { ask, refused } = limiter([requests(1).per('minute')], { ietfHeaders: true })
    ask()
    const rejection = refused()
    expect(Object.keys(rejection.headers)).toEqual(['retry-after', 'retry-after-ms'])
    expect(reportedLimits(rejection)).toEqual({
      limits: [
        { kind: 'requests', limit: 1, windowMs: 60_000, remaining: 0, resetMs: 60_000, exceeded: true },
      ],
      ietfHeaders: true,
    })
    expect(inspect(rejection)).not.toContain('windowMs')
    expect(JSON.stringify(rejection)).not.toContain('windowMs')
  })

  it('is on the lease without names of headers', () => {
    const { ask } = limiter([
      requests(10).per('minute'),
      tokens(5).per('day').dryRun(),
      budget(1, 'usd').per('day'),
    ])
    expect(ask().limits).toEqual([
      { kind: 'requests', limit: 10, windowMs: 60_000, remaining: 9, resetMs: 6_000, exceeded: false },
    ])
    expect(limiter([concurrent(1)]).ask()).not.toHaveProperty('limits')
  })
})

describe('a refusal', () => {
  it('of requests says when to come again, and that holds', () => {
    const { ask, refused, clock } = limiter([requests(3).per('minute')])
    for (let count = 0; count < 3; count++) ask()
    const refusal = refused()
    expect(refusal).toMatchObject({
      status: 429,
      type: 'requests',
      code: 'rate_limit_exceeded',
      retryable: true,
    })
    expect(refusal.message).toBe(
      'Rate limit reached on requests per minute (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.',
    )
    expect(refusal.headers).toMatchObject({ 'retry-after': '20', 'retry-after-ms': '20000' })
    clock.now += 19_999
    expect(refused().headers['retry-after-ms']).toBe('1')
    clock.now += 1
    ask()
  })

  it('of tokens says so by its type', () => {
    const { ask, refused } = limiter([tokens(30_000).per('minute')])
    ask('ann', { max_tokens: 14_467 })
    const refusal = refused('ann', { max_tokens: 24_654 })
    expect(refusal).toMatchObject({ status: 429, type: 'tokens', code: 'rate_limit_exceeded' })
    expect(refusal.message).toBe(
      'Rate limit reached on tokens per minute (TPM): Limit 30000, Used 14567, Requested 24754. Please try again in 18.642s.',
    )
    expect(refusal.headers).toMatchObject({ 'retry-after': '19', 'retry-after-ms': '18642' })
  })

  it('of what is larger than the limit says that no waiting helps', () => {
    const { refused, ask } = limiter([tokens(30_000).per('minute'), requests(9).per('day')])
    const refusal = refused('ann', { max_tokens: 31_438 })
    expect(refusal).toMatchObject({ status: 429, type: 'tokens', code: 'rate_limit_exceeded' })
    expect(refusal.message).toBe(
      'Request too large on tokens per minute (TPM): Limit 30000, Requested 31538 (100 for the input, 31438 for the output). The input or output tokens must be reduced in order to run successfully.',
    )
    expect(headersOf(refusal)).toMatchObject({
      'x-should-retry': 'false',
      'x-ratelimit-remaining-tokens': '30000',
    })
    expect(refusal.headers).not.toHaveProperty('retry-after')
    expect(refused('ann', { n: 128, max_tokens: Number.MAX_SAFE_INTEGER }).message).toContain(
      'Request too large',
    )
    expect(ask('ann', { max_tokens: 9 }).headers['x-ratelimit-remaining-requests']).toBe('8')
  })

  it('of concurrent requests is worth another try in a second', () => {
    const { ask, refused } = limiter([concurrent(2)])
    const lease = ask()
    ask()
    const refusal = refused()
    expect(refusal).toMatchObject({ status: 429, type: 'requests', code: 'rate_limit_exceeded' })
    expect(refusal.message).toBe(
      'Rate limit reached on concurrent requests: Limit 2, Used 2, Requested 1. Please try again in 1s.',
    )
    expect(refusal.headers).toEqual({ 'retry-after': '1', 'retry-after-ms': '1000' })
    void lease.settle(undefined, null)
    ask()
  })

  it('tells no retry-after that clients would not obey', () => {
    const { ask, refused } = limiter([requests(1).per('day')])
    ask()
    const headers = headersOf(refused())
    expect(headers).not.toHaveProperty('retry-after')
    expect(headers).not.toHaveProperty('retry-after-ms')
    expect(headers).toMatchObject({ 'x-should-retry': 'false', 'x-ratelimit-reset-requests': '24h0m0s' })
  })

  it.each([
    ['hour', 'this hour', '1h0m0s'],
    ['day', 'this day', '12h0m0s'],
    // From a Wednesday's noon.
    ['week', 'this week', '108h0m0s'],
    ['month', 'this month', '300h0m0s'],
  ] as const)(
    'of a budget for an %s says when it is renewed, and nothing of what others spent',
    (window, name, wait) => {
      const { ask, refused } = limiter([budget(0.007, 'usd').per(window).by('gateway')])
      void ask('bob', { max_tokens: 1_000 }).settle(usageOf(100, 1_000), 0.0041)
      const refusal = refused('ann', { max_tokens: 1_000 })
      expect(refusal).toMatchObject({
        status: 429,
        type: 'insufficient_quota',
        code: 'insufficient_quota',
        retryable: false,
      })
      expect(refusal.headers).toEqual({ 'x-should-retry': 'false' })
      expect(refusal.message).toBe(
        `You exceeded your current quota: what is left of your budget for ${name} is less than this request can cost. It is renewed in ${wait}.`,
      )
    },
  )

  it('of a budget that is not renewed says so', () => {
    const { ask, refused } = limiter([budget(0.005, 'usd').per('ever')])
    ask('ann', { max_tokens: 1_000 })
    expect(refused('ann', { max_tokens: 1_000 }).message).toMatch(
      /left of your budget is less .* It is not renewed\.$/,
    )
  })

  it('of a request that can cost more than all of the budget says what helps', () => {
    const refusal = limiter([budget(0.001, 'usd').per('day')]).refused('ann', {
      n: 128,
      max_tokens: Number.MAX_SAFE_INTEGER,
    })
    expect(refusal.reason).toBe('insufficient_quota')
    expect(refusal.message).toMatch(
      /^Request too large: .* your budget for this day\. The input or output tokens must/,
    )
  })

  it('is of the rule with the longest wait, and of a budget before all', () => {
    const rules = [requests(1).per('second'), requests(1).per('minute').by('gateway'), concurrent(1)]
    const { ask, refused } = limiter(rules)
    ask()
    expect(refused().message).toContain('requests per minute (RPM)')
    const spent = limiter([...rules, requests(1).per('day'), budget(0.005, 'usd').per('day')])
    spent.ask('ann', { max_tokens: 1_000 })
    expect(spent.refused('ann', { max_tokens: 1_000 }).reason).toBe('insufficient_quota')
  })
})

describe('limits() refuses', () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      'rules that are no list',
      () => limits(requests(1).per('day') as never),
      /limits\(\): got an object, expected a list/,
    ],
    [
      'a rule that is none',
      () => limits([concurrent(1), { kind: 'seats', limit: 1 } as never]),
      /\[1\]\.kind: got 'seats'/,
    ],
    ['options that are none', () => limits([], 7 as never), /limits\(\): got 7/],
    [
      'an option that there is not',
      () => limits([], { maxKeys: 5 } as never),
      /maxKeys: got 5, expected no such option/,
    ],
    [
      'a store that is none',
      () => limits([], { store: { admit() {} } as never }),
      /store: got an object, expected a store/,
    ],
    [
      'a policy that is none',
      () => limits([], { onStoreFailure: 'deny' as never }),
      /onStoreFailure: got 'deny', expected 'local', 'closed' or 'open'/,
    ],
    [
      'a policy of no kind',
      () => limits([], { onStoreFailure: { money: 'open' } as never }),
      /onStoreFailure\.money: got a string, expected no such option/,
    ],
    [
      'a policy of a kind',
      () => limits([], { onStoreFailure: { budget: true } as never }),
      /onStoreFailure\.budget: got true/,
    ],
    [
      'a wait without an end',
      () => limits([], { wait: { maxQueued: 5 } as never }),
      /wait\.maxMs: got undefined/,
    ],
    [
      'a wait that is none',
      () => limits([], { wait: 5 as never }),
      /wait: got 5, expected maxMs and maxQueued/,
    ],
    [
      'headers by half',
      () => limits([], { ietfHeaders: 'yes' as never }),
      /ietfHeaders: got 'yes', expected true or false/,
    ],
    ['a clock that is none', () => limits([], { now: 5 as never }), /now: got 5, expected a function/],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  it('all that is wrong at once', () => {
    const make = () =>
      limits([{ kind: 'requests', limit: 0, per: 'day' }], {
        instances: 0,
        leaseMs: -1,
        wait: { maxMs: 0, maxQueued: 0 },
      })
    for (const name of ['[0].limit', 'instances', 'leaseMs', 'wait.maxMs', 'wait.maxQueued']) {
      expect(make).toThrow(`\n- ${name}: `)
    }
  })

  it('nothing that is left out', () => {
    expect(() =>
      limits([], { store: undefined, wait: undefined, onStoreFailure: undefined } as never),
    ).not.toThrow()
    expect(limits([])).not.toHaveProperty('maxWaitMs')
    expect(limits([], { wait: { maxMs: 50, maxQueued: 1 } }).maxWaitMs).toBe(50)
  })

  it('what another library has added to every object', () => {
    Object.assign(Object.prototype, { wait: { maxMs: 50, maxQueued: 1 }, mode: 'dryRun', models: ['other'] })
    onTestFinished(() => {
      for (const name of ['wait', 'mode', 'models']) Reflect.deleteProperty(Object.prototype, name)
    })
    expect(limits([]).maxWaitMs).toBeUndefined()
    const { ask, refused } = limiter([{ kind: 'requests', limit: 1, per: 'minute' }])
    ask('ann')
    refused('ann')
  })
})
