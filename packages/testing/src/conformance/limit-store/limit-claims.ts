import { strict as assert } from 'node:assert'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LimitStore } from '@sluice/core'
import type {
  Claim,
  Counter,
  CounterState,
  LeaseCounter,
  LimitDecision,
  RateCounter,
  SumCounter,
} from '@sluice/core/store'

/** 32 hexadecimal digits. */
export function freshId(): string {
  return randomBytes(16).toString('hex')
}

/** Returns a unique key. */
export function freshKey(name = 'count'): string {
  return `${name}:${freshId()}`
}

/** Returns a rate of ten per hour. A claim charges one. */
export function rate(given: Partial<RateCounter> = {}): RateCounter {
  return {
    kind: 'rate',
    key: freshKey('rate'),
    limit: 10,
    dryRun: false,
    windowMs: 3_600_000,
    amount: 1,
    ...given,
  }
}

/** Returns a sum of ten without a window. A claim reserves one, with a floor of 0. */
export function sum(given: Partial<SumCounter> = {}): SumCounter {
  return {
    kind: 'sum',
    key: freshKey('sum'),
    limit: 10,
    dryRun: false,
    window: 'ever',
    amount: 1,
    floor: 0,
    ...given,
  }
}

/** Returns a lease of one at a time. */
export function lease(given: Partial<LeaseCounter> = {}): LeaseCounter {
  return { kind: 'lease', key: freshKey('lease'), limit: 1, dryRun: false, ...given }
}

/** Returns a claim of these counters, with a time to live of one minute. */
export function claim(counters: readonly Counter[], ttlMs = 60_000): Claim {
  return { id: freshId(), ttlMs, counters }
}

/** A decided claim. */
export interface ClaimResult {
  readonly claim: Claim
  readonly decision: LimitDecision
  /** Settles it. By default everything is released. */
  settle(...charged: readonly number[]): Promise<void>
}

/** Claims counters. */
export async function claimCounters(
  store: LimitStore,
  counters: readonly Counter[],
  ttlMs?: number,
): Promise<ClaimResult> {
  const asked = claim(counters, ttlMs)
  const decision = await store.admit(asked)
  assert.equal(decision.counters.length, counters.length, 'one state for each counter')
  return {
    claim: asked,
    decision,
    settle: async (...charged) =>
      store.settle({ id: asked.id, counters, charged: counters.map((_, index) => charged[index] ?? 0) }),
  }
}

/** Claims counters, and expects to be admitted. */
export async function take(
  store: LimitStore,
  counters: readonly Counter[],
  ttlMs?: number,
): Promise<ClaimResult> {
  const asked = await claimCounters(store, counters, ttlMs)
  assert.equal(asked.decision.allowed, true, `room: ${JSON.stringify(asked.decision)}`)
  return asked
}

/** Claims counters, and expects a refusal. Returns the states of the counters. */
export async function expectRefusal(
  store: LimitStore,
  counters: readonly Counter[],
): Promise<readonly CounterState[]> {
  const { decision } = await claimCounters(store, counters)
  assert.equal(decision.allowed, false, `no room: ${JSON.stringify(decision)}`)
  return decision.counters
}

/** Returns what is left of a count, from a claim of nothing. */
export async function remainingOf(store: LimitStore, counter: RateCounter | SumCounter): Promise<number> {
  const none = { ...counter, amount: 0, ...(counter.floor === undefined ? {} : { floor: 0 }), dryRun: true }
  const { decision, settle } = await claimCounters(store, [none])
  if (counter.kind === 'sum' || counter.floor !== undefined) await settle()
  return stateOf(decision).remaining
}

/** Returns the state of one of the counters of a claim. */
export function stateOf({ counters }: LimitDecision, index = 0): CounterState {
  const state = counters[index]
  assert.ok(state !== undefined, `a state for counter ${index}`)
  return state
}

/** Claims until there is capacity, for at most 10 seconds. Returns the claim and its duration in ms. */
export async function takeWhenFree(store: LimitStore, counters: readonly Counter[]): Promise<ClaimResult> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const asked = await claimCounters(store, counters)
    if (asked.decision.allowed) return asked
    assert.ok(performance.now() < deadline, `room within 10 s: ${JSON.stringify(asked.decision)}`)
    await sleep(5)
  }
}
