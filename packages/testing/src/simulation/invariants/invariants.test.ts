import type { LedgerClosing } from '@sluice/core/ledger'
import { describe, expect, it } from 'vitest'
import type { CallRecord, HistoryRecord, RequestRecord } from '../history.ts'
import type { Invariant } from '../invariant.ts'
import { boundedRetries } from './bounded-retries.ts'
import { budgetsAgree } from './budgets-agree.ts'
import { fairShares } from './fair-shares.ts'
import { limitsHold } from './limits-hold.ts'
import { noHerd } from './no-herd.ts'
import { recordsKept } from './records-kept.ts'
import { settledOnce } from './settled-once.ts'

const end = { now: 1e6, activeClaims: 0, openRecords: 0 }
const found = (invariant: Invariant, more: Partial<typeof end> = {}) =>
  invariant.violations({ ...end, ...more }).map(({ message }) => message)

const aRequest = (request: number, more: Partial<RequestRecord> = {}): RequestRecord => ({
  type: 'request',
  request,
  attempt: 0,
  requestId: `req_${request}`,
  at: request,
  ms: 10,
  firstMs: 5,
  gateway: 0,
  clients: 'some',
  key: 'ann',
  model: 'm',
  stream: false,
  status: 200,
  end: 'completed',
  code: undefined,
  ...more,
})
const aCall = (request: number, more: Partial<CallRecord> = {}): CallRecord => ({
  type: 'call',
  request,
  attempt: 0,
  at: request,
  ms: 5,
  gateway: 0,
  provider: 'one',
  model: 'm1',
  end: 'completed',
  status: 200,
  promptTokens: 10,
  completionTokens: 20,
  ...more,
})
const aClosing = (request: number, more: Partial<LedgerClosing> = {}): LedgerClosing => ({
  entry: {
    id: `id_${request}`,
    requestId: `req_${request}`,
    operation: 'generate',
    dialect: 'chat',
    principal: 'ann',
    tags: {},
    model: 'm',
    stream: false,
    openedAt: 0,
    estimate: { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0, cost: null },
  },
  closedAt: 0,
  outcome: 'completed',
  status: 200,
  provider: 'one',
  upstreamModel: 'm1',
  responseModel: undefined,
  attempts: 1,
  charge: { promptTokens: 10, completionTokens: 20, cachedTokens: 0, reasoningTokens: 0, cost: 0.5 },
  estimated: false,
  firstByteMs: 5,
  totalMs: 10,
  ...more,
})
const ledger = (request: number, more: Partial<LedgerClosing> = {}) =>
  ({ type: 'ledger', at: 0, gateway: 0, closing: aClosing(request, more), again: false }) as const

/** A request with one call, as everybody sees it. */
function play(
  invariant: Invariant,
  request: number,
  more: Partial<RequestRecord> = {},
  call: Partial<CallRecord> = {},
) {
  const record = aRequest(request, more)
  const called = aCall(request, { at: record.at, ...call })
  invariant.requestBegan?.(record)
  invariant.callBegan?.(called)
  invariant.record(called)
  invariant.record(record)
}

describe('limitsHold', () => {
  const expected = {
    gateways: 4,
    instances: 4,
    limits: [{ key: 'ann', requests: { limit: 10, windowMs: 60_000 }, concurrent: 3, budget: 2 }],
  }

  it('finds more requests than a window admits', () => {
    const kept = limitsHold(expected)
    for (let request = 0; request < 10; request++) play(kept, request)
    // One more of each six seconds.
    for (let request = 10; request < 30; request++) play(kept, request, { at: (request - 9) * 6_000 })
    expect(found(kept)).toEqual([])
    const broken = limitsHold(expected)
    for (let request = 0; request < 11; request++) play(broken, request)
    expect(found(broken)).toEqual(['The key ann was admitted more often than 10 times per 60000 ms.'])
  })

  it('allows the shares of gateways in a partition only', () => {
    const partitions = [{ fromMs: 0, toMs: 1_000 }]
    const kept = limitsHold({ ...expected, partitions })
    for (let request = 0; request < 20; request++) play(kept, request)
    expect(found(kept)).toEqual([])
    play(kept, 20, { at: 30 })
    expect(found(kept)).toHaveLength(1)
    const late = limitsHold({ ...expected, partitions })
    for (let request = 0; request < 11; request++) play(late, request, { at: 500_000 })
    expect(found(late)).toHaveLength(1)
  })

  it('allows what gateways admit because the decision came too late, for as long as that can run', () => {
    const play4 = (at: number, ms: number) => {
      const invariant = limitsHold(expected)
      const claim = { id: 'a', ttlMs: 1, counters: [] }
      const decision = { allowed: false, counters: [] } as const
      invariant.record({ type: 'claim', at: 0, ms, gateway: 0, claim, decision })
      for (let request = 0; request < 4; request++) {
        invariant.requestBegan?.(aRequest(request, { at }))
        invariant.callBegan?.(aCall(request, { at }))
      }
      return found(invariant)
    }
    expect(play4(100_000, 50)).toEqual([])
    expect(play4(100_000, 49)).toHaveLength(1)
    expect(play4(130_000, 50)).toHaveLength(1)
  })

  it('finds too many concurrent requests, and a budget that is exceeded', () => {
    const concurrent = limitsHold(expected)
    for (let request = 0; request < 4; request++) {
      concurrent.requestBegan?.(aRequest(request))
      concurrent.callBegan?.(aCall(request))
    }
    expect(found(concurrent)).toEqual(['The key ann had 4 concurrent requests, its limit is 3.'])
    const budget = limitsHold(expected)
    for (let request = 0; request < 5; request++) budget.record(ledger(request))
    expect(found(budget)).toEqual([])
    budget.record(ledger(5))
    expect(found(budget)).toEqual(['The key ann has spent 3.0000 of 2 US dollars.'])
  })
})

describe('budgetsAgree', () => {
  const counter = {
    kind: 'sum',
    key: 'budget/usd/day:key=api_keys~0020ann',
    limit: 1e9,
    dryRun: false,
    window: 'day',
    amount: 1e9,
    floor: 0,
  } as const
  const claimed = (id: string) =>
    ({
      type: 'claim',
      at: 0,
      ms: 1,
      gateway: 0,
      claim: { id, ttlMs: 1, counters: [counter] },
      decision: { allowed: true, counters: [] },
    }) as const
  const settled = (id: string, usd: number) =>
    ({
      type: 'settlement',
      at: 1,
      gateway: 0,
      settlement: { id, counters: [counter], charged: [usd * 1e9] },
    }) as const
  const violationsOf = (...records: readonly HistoryRecord[]) => {
    const invariant = budgetsAgree(['ann'])
    for (const record of records) invariant.record(record)
    return found(invariant)
  }
  const timedOut = ledger(2)
  const discarded = (kind: 'timeout' | 'hedge') => ({
    ...timedOut,
    closing: { ...timedOut.closing, entry: { ...timedOut.closing.entry, kind } },
  })

  it('compares what a budget counted with what the ledger charged', () => {
    expect(violationsOf(claimed('a'), settled('a', 0.5), settled('a', 0.5), ledger(1))).toEqual([])
    expect(violationsOf(claimed('a'), settled('a', 0.4), ledger(1))).toEqual([
      'The ledger charged the key ann 0.5000 US dollars, its budget counted 0.4000.',
    ])
    expect(violationsOf(claimed('a'), settled('a', 0.5))).toHaveLength(1)
  })

  it('knows that no budget counts a discarded call', () => {
    for (const kind of ['timeout', 'hedge'] as const) {
      expect(violationsOf(claimed('a'), settled('a', 0.5), ledger(1), discarded(kind))).toEqual([])
      expect(violationsOf(claimed('a'), settled('a', 1), ledger(1), discarded(kind))).toHaveLength(1)
    }
  })

  it('knows that a crash may lose either: a settlement, or the closing of a record', () => {
    const { entry, charge } = ledger(2).closing
    expect(violationsOf(claimed('a'), settled('a', 0.5), ledger(1), claimed('b'), ledger(2))).toEqual([])
    const lost = { type: 'lost', at: 2, gateway: 0, entry, charge: charge! } as const
    const both = [claimed('a'), settled('a', 0.5), ledger(1), claimed('b'), settled('b', 0.5)]
    expect(violationsOf(...both)).toHaveLength(1)
    expect(violationsOf(...both, lost)).toEqual([])
    expect(violationsOf(...both, lost, ledger(2), claimed('c'), settled('c', 0.1))).toHaveLength(1)
  })
})

describe('settledOnce', () => {
  const claim = {
    id: 'a',
    ttlMs: 1,
    counters: [{ kind: 'lease', key: 'k', limit: 1, dryRun: false }],
  } as const
  const admitted = {
    type: 'claim',
    at: 5_000,
    ms: 1,
    gateway: 0,
    claim,
    decision: { allowed: true, counters: [] },
  } as const
  const settled = (charged: number) =>
    ({
      type: 'settlement',
      at: 6_000,
      gateway: 0,
      settlement: { id: 'a', counters: claim.counters, charged: [charged] },
    }) as const

  it('finds claims that are never settled, or settled in two ways', () => {
    const kept = settledOnce()
    for (const record of [admitted, settled(1), settled(1)]) kept.record(record)
    expect(found(kept)).toEqual([])
    kept.record(settled(2))
    expect(found(kept)).toEqual(['A claim was settled with 1, and again with 2.'])
    const never = settledOnce()
    never.record(admitted)
    expect(found(never, { activeClaims: 1 })).toEqual([
      'Gateway 0 never settled a claim of 5000 ms.',
      'The limit store still holds 1 claims.',
    ])
    const unknown = settledOnce()
    unknown.record(settled(1))
    expect(found(unknown)).toEqual(['A claim was settled with 1 that the store had not allowed.'])
  })

  it('knows that a crashed gateway settles nothing more, and that a settlement may be on its way', () => {
    const crashed = settledOnce()
    for (const record of [admitted, { ...admitted, gateway: 1, claim: { ...claim, id: 'b' } }])
      crashed.record(record)
    crashed.record({ type: 'crash', at: 5_500, gateway: 0 })
    crashed.record(settled(1))
    // A claim that was on its way, and one of the next process.
    for (const at of [5_501, 20_000]) crashed.record({ ...admitted, at, claim: { ...claim, id: `at ${at}` } })
    expect(found(crashed)).toEqual([
      'Gateway 1 never settled a claim of 5000 ms.',
      'Gateway 0 never settled a claim of 20000 ms.',
    ])
  })

  it('knows that answers are lost in a partition', () => {
    const lost = settledOnce([{ fromMs: 5_500, toMs: 9_000 }])
    lost.record(admitted)
    lost.record({ ...settled(0), settlement: { ...settled(0).settlement, id: 'b' } })
    expect(found(lost)).toEqual([])
  })
})

describe('recordsKept', () => {
  it('finds records that are lost, doubled or wrong', () => {
    const kept = recordsKept()
    play(kept, 0)
    kept.record(ledger(0))
    kept.record({ ...ledger(0), again: true })
    expect(found(kept)).toEqual([])
    const lost = recordsKept()
    play(lost, 0)
    expect(found(lost)).toEqual(['The record of req_0, sent at 0 ms, is lost.'])
    const doubled = recordsKept()
    play(doubled, 0)
    doubled.record(ledger(0))
    doubled.record(ledger(0))
    expect(found(doubled)).toEqual(['A second record of req_0.'])
    expect(found(recordsKept(), { openRecords: 2 })).toEqual(['The database has 2 records without an end.'])
  })

  it.each([
    [
      { outcome: 'upstream_failed' },
      'Request 0.0: the client saw completed, the ledger has upstream_failed.',
    ],
    [{ status: 201 }, 'Request 0.0: the client got status 200, the ledger has 201.'],
    [{ attempts: 2 }, 'Request 0.0: upstreams got 1 calls, the ledger has 2.'],
    [
      { charge: { ...aClosing(0).charge!, promptTokens: 11 } },
      'Request 0.0: the upstream counted 10 and 20 tokens, the ledger has 11 and 20.',
    ],
  ] as const)('finds a record with %j', (more, message) => {
    const broken = recordsKept()
    play(broken, 0)
    broken.record(ledger(0, more))
    expect(found(broken)).toEqual([message])
  })
})

describe('boundedRetries', () => {
  it('finds a request with too many calls', () => {
    const broken = boundedRetries()
    broken.requestBegan?.(aRequest(0))
    for (const provider of ['one', 'two', 'three', 'four']) broken.callBegan?.(aCall(0, { provider }))
    expect(found(broken)).toEqual(['Request 0.0 made 4 calls.'])
  })

  it('finds more retries than the budget of a target', () => {
    const broken = boundedRetries()
    for (let request = 0; request < 10; request++) {
      broken.requestBegan?.(aRequest(request))
      for (let call = 0; call < 2; call++) {
        broken.callBegan?.(aCall(request))
        broken.record(aCall(request))
      }
      expect(found(broken).length > 0, `request ${request}`).toBe(request >= 7)
    }
  })
})

describe('noHerd', () => {
  const failed = { end: 'unreachable', status: 0 } as const
  const failing = () => {
    const invariant = noHerd()
    for (let request = 0; request < 5; request++) {
      play(invariant, request, { key: `key ${request % 4}` }, failed)
    }
    return invariant
  }

  it('finds more than a probe of a target that keeps failing', () => {
    const broken = failing()
    for (const at of [100, 200, 300]) broken.callBegan?.(aCall(20, { at }))
    expect(found(broken)).toEqual([
      'Gateway 0 made 3 calls within a second to one/m1, which fails since 9 ms.',
    ])
    const slow = failing()
    for (const at of [100, 200, 1_300]) slow.callBegan?.(aCall(20, { at }))
    expect(found(slow)).toEqual([])
  })

  it('allows all calls again once the target answers another gateway, where health is shared', () => {
    const calls = (shared: boolean) => {
      const invariant = noHerd({ shared })
      for (let request = 0; request < 5; request++)
        play(invariant, request, { key: `key ${request % 4}` }, failed)
      invariant.callAnswered?.(aCall(20, { at: 90, gateway: 1 }), 100)
      for (const at of [101, 102, 103]) invariant.callBegan?.(aCall(21, { at }))
      return found(invariant)
    }
    expect(calls(true)).toEqual([])
    expect(calls(false)).toHaveLength(1)
  })

  it('allows all calls again as soon as the target answers', () => {
    const kept = failing()
    kept.callBegan?.(aCall(20, { at: 100 }))
    kept.callAnswered?.(aCall(20, { at: 100 }), 100)
    for (const at of [101, 102, 103, 104]) kept.callBegan?.(aCall(21, { at }))
    expect(found(kept)).toEqual([])
  })

  it('does not count failures of one key, or a row that an answer has ended', () => {
    const one = noHerd()
    for (let request = 0; request < 20; request++) play(one, request, {}, failed)
    expect(found(one)).toEqual([])
    const ended = noHerd()
    for (let request = 0; request < 40; request++) {
      play(ended, request, { key: `key ${request % 4}` }, request % 4 === 3 ? {} : failed)
    }
    expect(found(ended)).toEqual([])
  })
})

describe('crashes', () => {
  const crash = { type: 'crash', at: 50, gateway: 0 } as const
  const entry = aClosing(0).entry
  const lost = { type: 'lost', at: 60_000, gateway: 1, entry, charge: entry.estimate } as const
  const cut = { ms: 50, status: 0, end: 'failed' } as const
  const begin = (invariant: Invariant) => {
    invariant.requestBegan?.(aRequest(0))
    invariant.callBegan?.(aCall(0))
    invariant.record(aCall(0, { end: 'cancelled' }))
    invariant.record(crash)
    invariant.record(aRequest(0, cut))
  }

  it('leave a record that is lost, or still open', () => {
    const after = (
      openRecords: number,
      more: readonly HistoryRecord[] = [],
      ...given: Parameters<typeof recordsKept>
    ) => {
      const invariant = recordsKept(...given)
      begin(invariant)
      for (const record of more) invariant.record(record)
      return found(invariant, { openRecords })
    }
    expect(after(1)).toEqual([])
    expect(after(0)).toEqual(['Crashes left 1 records open, of which the database has 0.'])
    expect(after(2)).toEqual(['The database has 2 records without an end.'])
    expect(after(0, [lost])).toEqual([])
    expect(after(0, [], [{ fromMs: 40, toMs: 60 }])).toEqual([])
  })

  it('do not excuse a gateway that lives', () => {
    const [missing, kept] = [recordsKept(), recordsKept()]
    for (const invariant of [missing, kept]) {
      play(invariant, 0)
      invariant.record(lost)
    }
    expect(found(missing)).toEqual(['The record of req_0, sent at 0 ms, is lost.'])
    kept.record(ledger(0))
    expect(found(kept)).toEqual([])
  })

  it('allow a share of a limit once more, in a partition only', () => {
    const expected = { gateways: 1, limits: [{ key: 'ann', requests: { limit: 4, windowMs: 60_000 } }] }
    const admitted = (partitions: readonly { fromMs: number; toMs: number }[]) => {
      const kept = limitsHold({ ...expected, instances: 1, partitions })
      for (let request = 0; request < 8; request++) play(kept, request)
      kept.record(crash)
      for (let request = 8; request < 12; request++) play(kept, request)
      return found(kept)
    }
    expect(admitted([{ fromMs: 0, toMs: 1_000 }])).toEqual([])
    expect(admitted([])).not.toEqual([])
  })

  it('make a gateway forget which targets fail, and what it retried', () => {
    const herd = noHerd()
    for (let request = 0; request < 6; request++) {
      const key = request % 2 === 0 ? 'ann' : 'bob'
      play(herd, request, { key, end: 'failed' }, { end: 'refused', status: 503 })
    }
    herd.record(crash)
    for (const at of [100, 200, 300]) herd.callBegan?.(aCall(20, { at }))
    expect(found(herd)).toEqual([])
  })
})

describe('fairShares', () => {
  const play1000 = (
    quiet: Partial<RequestRecord>,
    noisy: Partial<RequestRecord> = {},
    before: readonly HistoryRecord[] = [],
  ) => {
    const invariant = fairShares({ quiet: ['quiet'], noisy: ['noisy'], except: [{ fromMs: 0, toMs: 1 }] })
    for (const record of before) invariant.record(record)
    for (let request = 0; request < 1_000; request++) {
      invariant.record(aRequest(request, { at: 200_000, clients: 'quiet', ...quiet }))
      invariant.record(aRequest(request, { at: 200_000, clients: 'noisy', ...noisy }))
    }
    return found(invariant)
  }

  it('finds quiet clients that fare worse than noisy ones', () => {
    expect(play1000({}, { status: 429, end: 'failed' })).toEqual([])
    expect(play1000({ at: 100, status: 429, end: 'failed' })).toEqual([])
    expect(play1000({ status: 429, end: 'failed' })[0]).toContain('quiet got a 429')
    expect(play1000({ status: 503, end: 'failed' })).toEqual([
      'Of the quiet clients 1 failed, of the noisy ones 0.',
    ])
    expect(play1000({ status: 0, end: 'failed', gateway: -1 })).toEqual([])
    const crash = { type: 'crash', at: 200_010, gateway: 0 } as const
    expect(play1000({ status: 0, end: 'failed' }, {}, [crash])).toEqual([])
    expect(play1000({ status: 0, end: 'failed' })).toHaveLength(1)
    expect(play1000({ firstMs: 100 })[0]).toMatch(/^The quiet clients waited 10\d/)
  })
})
