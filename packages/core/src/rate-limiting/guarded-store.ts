import type { Claim, DecidedClaim, LimitDecision, LimitStore, Settlement } from '../contracts/limit-store.ts'
import type { LimitKind } from '../contracts/principal.ts'
import { safeObserver } from '../observability/observers.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { StoreBreaker } from '../stores/store-breaker.ts'
import { type StoreCallResult, StoreClient } from '../stores/store-client.ts'
import {
  type ActiveClaim,
  ActiveClaims,
  hasReservation,
  PendingSettlements,
  type Renew,
} from './active-claims.ts'
import type { GuardedStoreOptions } from './limits-options.ts'
import { localShare } from './local-share.ts'
import { type MemoryLimitStore, memoryLimitStore } from './memory-limit-store.ts'
import { StoreRecovery } from './store-recovery.ts'

/** A limit store with a timeout and a fallback per kind of rule. */
export interface GuardedStore {
  /**
   * Decides a claim. `kinds` has the kind of rule of each counter. Throws `GatewayError` `limiter_unavailable` if the store
   * fails and a rule is `closed`, and `TypeError` for an invalid claim or decision.
   */
  admit(claim: Claim, kinds: readonly LimitKind[]): DecidedClaim | Promise<DecidedClaim>
}

/**
 * Guards requests against a store that hangs or fails. An operation may take `timeoutMs`. After five failures the store is
 * only probed, in the background, until it works again. `observe` receives both changes. Reservations are renewed every
 * third of their time to live.
 *
 * If the store is synchronous, so is the result.
 */
export function guardedStore(store: LimitStore, options: GuardedStoreOptions): GuardedStore {
  return new StoreGuard(store, options)
}

class StoreGuard implements GuardedStore {
  readonly #store: LimitStore
  readonly #options: GuardedStoreOptions
  readonly #calls: StoreClient
  readonly #active: ActiveClaims
  readonly #pending: PendingSettlements
  readonly #recovery: StoreRecovery
  #local: MemoryLimitStore | undefined
  readonly #renew: Renew = (claims, ttlMs) => {
    try {
      return this.#calls.call(() => this.#store.renew(claims, ttlMs), undefined, this.#options.acknowledges)
    } catch {
      // The next renewal follows soon.
      return undefined
    }
  }
  readonly #renewLocally: Renew = (claims, ttlMs) => this.#local?.renew(claims, ttlMs)

  constructor(store: LimitStore, options: GuardedStoreOptions) {
    const { clock, timeoutMs, local, generateId } = options
    const observe = safeObserver(options.observe)
    const report = (state: 'failing' | 'working', error: unknown) =>
      observe({ type: 'store', store: 'limits', state, error })
    const changed = (state: 'failing' | 'working', error: unknown) => {
      report(state, error)
      this.#recovery.plan()
    }
    this.#store = store
    this.#options = options
    this.#local = local
    this.#calls = new StoreClient({
      name: 'limit store',
      timeoutMs,
      timeoutOption: 'storeTimeoutMs',
      clock,
      breaker: new StoreBreaker({ clock, changed }),
      failsFast: true,
      rethrowsInvalid: true,
    })
    this.#active = new ActiveClaims(clock)
    this.#pending = new PendingSettlements(clock, error => report('failing', error))
    this.#recovery = new StoreRecovery({
      store,
      calls: this.#calls,
      active: this.#active,
      pending: this.#pending,
      clock,
      generateId,
    })
  }

  admit(claim: Claim, kinds: readonly LimitKind[]): DecidedClaim | Promise<DecidedClaim> {
    const outcome = this.#calls.call(
      () => this.#store.admit(claim),
      late => this.#release(claim, late),
    )
    if (!isPromise(outcome)) return this.#decide(claim, kinds, outcome)
    return outcome.then(came => this.#decide(claim, kinds, came))
  }

  #decide(claim: Claim, kinds: readonly LimitKind[], outcome: StoreCallResult<LimitDecision>): DecidedClaim {
    if (!outcome.ok) return this.#decideLocally(claim, kinds, outcome.error)
    const decision = outcome.value
    checkDecision(decision, claim)
    if (!decision.allowed || !hasReservation(claim.counters)) return { decision, settle: nothing }
    return {
      decision,
      settle: this.#hold(claim, this.#renew, charged => this.#settle(claim, charged)),
    }
  }

  /** Decides a claim without the store. */
  #decideLocally(claim: Claim, kinds: readonly LimitKind[], error: unknown): DecidedClaim {
    const share = localShare(claim, kinds, this.#options, error)
    const { claim: mine } = share
    if (mine === undefined) return { decision: share.decision(undefined), settle: nothing }
    this.#local ??= memoryLimitStore()
    const local = this.#local
    const decided = local.admit(mine)
    const decision = share.decision(decided)
    if (!decided.allowed || !hasReservation(mine.counters)) return { decision, settle: nothing }
    const settle = (charged: readonly number[]) =>
      local.settle({ id: mine.id, counters: mine.counters, charged: share.charged(charged) })
    return { decision, settle: this.#hold(mine, this.#renewLocally, settle) }
  }

  /** Renews a claim until it is settled. Returns a function that settles it once. */
  #hold(claim: Claim, renew: Renew, settle: DecidedClaim['settle']): DecidedClaim['settle'] {
    let active: ActiveClaim | undefined = this.#active.hold(claim, renew)
    return charged => {
      if (active === undefined) return
      this.#active.release(active)
      active = undefined
      return settle(charged)
    }
  }

  #settle({ id, counters }: Claim, charged: readonly number[]): void | Promise<void> {
    const settlement = { id, counters, charged }
    const outcome = this.#calls.call(
      () => this.#store.settle(settlement),
      late => {
        if (late.ok) this.#pending.remove(id)
      },
      this.#options.acknowledges,
    )
    if (isPromise(outcome)) return outcome.then(({ ok }) => this.#keepPending(settlement, ok))
    this.#keepPending(settlement, outcome.ok)
  }

  #keepPending(settlement: Settlement, settled: boolean): void {
    if (settled) return
    this.#pending.add(settlement)
    this.#recovery.plan()
  }

  /** Releases a claim that timed out. One that failed here may have succeeded in the store. */
  #release(claim: Claim, late: StoreCallResult<LimitDecision>): void {
    if (!hasReservation(claim.counters) || (late.ok && late.value?.allowed !== true)) return
    const charged = claim.counters.map(() => 0)
    try {
      if (late.ok) void this.#settle(claim, charged)
      else this.#keepPending({ id: claim.id, counters: claim.counters, charged }, false)
    } catch {
      // The store releases it when it expires.
    }
  }
}

function nothing(): void {}

function checkDecision(decision: LimitDecision, { counters }: Claim): void {
  // An unreadable decision would leave its reservations until they expire.
  const complete = decision?.counters?.length === counters.length && decision.counters.every(isObject)
  if (complete && typeof decision.allowed === 'boolean') return
  throw new TypeError(
    'The limit store returned an invalid decision: expected `allowed` and one state for each counter.',
  )
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
