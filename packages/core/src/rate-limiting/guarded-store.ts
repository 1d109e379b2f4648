import type { Claim, DecidedClaim, LimitDecision, LimitStore, Settlement } from '../contracts/limit-store.ts'
import type { LimitKind } from '../contracts/principal.ts'
import { safeObserver } from '../observability/observers.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { type StoreCallResult, StoreClient } from '../stores/store-client.ts'
import { ActiveClaims, hasReservation, PendingSettlements, type Renew } from './active-claims.ts'
import type { GuardedStoreOptions } from './limits-options.ts'
import { localShare } from './local-share.ts'
import { type MemoryLimitStore, memoryLimitStore } from './memory-limit-store.ts'
import { StoreRecovery } from './store-recovery.ts'

/** A store that answers in time or is done without, each kind of rule in its own way. */
export interface GuardedStore {
  /**
   * `kinds` has one kind of rule for each counter of the claim. Throws `GatewayError` `limiter_unavailable` where the
   * store fails and a rule is closed then, and `TypeError` for a claim or a verdict that makes no sense.
   */
  admit(claim: Claim, kinds: readonly LimitKind[]): DecidedClaim | Promise<DecidedClaim>
}

/**
 * Guards requests against a store that hangs or fails: an operation has `timeoutMs`, and after five failures the store
 * is only probed, without a request waiting for it, until it works again. `observe` is told of both. What is held is
 * renewed every third of its time.
 *
 * Where a store answers at once, so does this.
 */
export function guardedStore(store: LimitStore, options: GuardedStoreOptions): GuardedStore {
  return new StoreGuard(store, options)
}

class StoreGuard implements GuardedStore {
  readonly #store: LimitStore
  readonly #options: GuardedStoreOptions
  readonly #calls: StoreClient
  readonly #held: ActiveClaims
  readonly #unsettled: PendingSettlements
  readonly #repair: StoreRecovery
  #local: MemoryLimitStore | undefined
  readonly #renew: Renew = (claims, ttlMs) => {
    try {
      return this.#calls.ask(() => this.#store.renew(claims, ttlMs))
    } catch {
      // The next time comes soon.
      return undefined
    }
  }
  readonly #renewHere: Renew = (claims, ttlMs) => this.#local?.renew(claims, ttlMs)

  constructor(store: LimitStore, options: GuardedStoreOptions) {
    const { clock, timeoutMs, local } = options
    const observe = safeObserver(options.observe)
    const tell = (state: 'failing' | 'working', error: unknown) =>
      observe({ type: 'store', store: 'limits', state, error })
    const changed = (state: 'failing' | 'working', error: unknown) => {
      tell(state, error)
      this.#repair.plan()
    }
    this.#store = store
    this.#options = options
    this.#local = local
    this.#calls = new StoreClient({ name: 'limit store', timeoutMs, clock, changed, failsFast: true })
    this.#held = new ActiveClaims(clock)
    this.#unsettled = new PendingSettlements(clock, error => tell('failing', error))
    const { calls, held, unsettled } = { calls: this.#calls, held: this.#held, unsettled: this.#unsettled }
    this.#repair = new StoreRecovery({ store, calls, held, unsettled, clock })
  }

  admit(claim: Claim, kinds: readonly LimitKind[]): DecidedClaim | Promise<DecidedClaim> {
    const outcome = this.#calls.ask(
      () => this.#store.admit(claim),
      late => this.#giveBack(claim, late),
    )
    if (!isPromise(outcome)) return this.#decide(claim, kinds, outcome)
    return outcome.then(came => this.#decide(claim, kinds, came))
  }

  #decide(claim: Claim, kinds: readonly LimitKind[], outcome: StoreCallResult<LimitDecision>): DecidedClaim {
    if (!outcome.ok) return this.#decideHere(claim, kinds, outcome.error)
    const verdict = outcome.value
    checkVerdict(verdict, claim)
    if (!verdict.allowed || !hasReservation(claim.counters)) return { decision: verdict, settle: nothing }
    return {
      decision: verdict,
      settle: this.#hold(claim, this.#renew, charged => this.#settle(claim, charged)),
    }
  }

  /** Goes on without the store. */
  #decideHere(claim: Claim, kinds: readonly LimitKind[], error: unknown): DecidedClaim {
    const share = localShare(claim, kinds, this.#options, error)
    const { claim: mine } = share
    if (mine === undefined) return { decision: share.verdict(undefined), settle: nothing }
    this.#local ??= memoryLimitStore()
    const local = this.#local
    const decided = local.admit(mine)
    const verdict = share.verdict(decided)
    if (!decided.allowed || !hasReservation(mine.counters)) return { decision: verdict, settle: nothing }
    const settle = (charged: readonly number[]) =>
      local.settle({ id: mine.id, counters: mine.counters, charged: share.charged(charged) })
    return { decision: verdict, settle: this.#hold(mine, this.#renewHere, settle) }
  }

  /** What gives a claim back, once. */
  #hold(claim: Claim, renew: Renew, settle: DecidedClaim['settle']): DecidedClaim['settle'] {
    let held = true
    this.#held.hold(claim, renew)
    return charged => {
      if (!held) return
      held = false
      this.#held.letGo(claim.id)
      return settle(charged)
    }
  }

  #settle({ id, counters }: Claim, charged: readonly number[]): void | Promise<void> {
    const settlement = { id, counters, charged }
    const outcome = this.#calls.ask(
      () => this.#store.settle(settlement),
      late => {
        if (late.ok) this.#unsettled.remove(id)
      },
    )
    if (isPromise(outcome)) return outcome.then(({ ok }) => this.#keep(settlement, ok))
    this.#keep(settlement, outcome.ok)
  }

  #keep(settlement: Settlement, settled: boolean): void {
    if (settled) return
    this.#unsettled.add(settlement)
    this.#repair.plan()
  }

  /** Nobody waits any more for what was claimed; and a claim that failed here may have been taken there. */
  #giveBack(claim: Claim, late: StoreCallResult<LimitDecision>): void {
    if (!hasReservation(claim.counters) || (late.ok && late.value?.allowed !== true)) return
    const charged = claim.counters.map(() => 0)
    try {
      if (late.ok) void this.#settle(claim, charged)
      else this.#keep({ id: claim.id, counters: claim.counters, charged }, false)
    } catch {
      // The store gives it back by itself when its time is over.
    }
  }
}

function nothing(): void {}

function checkVerdict(verdict: LimitDecision, { counters }: Claim): void {
  // One that could not be read later would leave held what was taken.
  const whole = verdict?.counters?.length === counters.length && verdict.counters.every(isObject)
  if (whole && typeof verdict.allowed === 'boolean') return
  throw new TypeError(
    'The limit store gave something that is no verdict: expected allowed, and one state for each counter.',
  )
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
