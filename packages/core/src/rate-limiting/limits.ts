import { type Clock, systemClock } from '../clock/clock.ts'
import type { Draft } from '../contracts/draft.ts'
import type { DecidedClaim, LimitStore } from '../contracts/limit-store.ts'
import type { Lease, LimitContext, Limiter } from '../contracts/limiter.ts'
import type { LimitRuleData, Principal } from '../contracts/principal.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { memberOf, ownMembers } from '../primitives/own-members.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { freshId } from '../primitives/random.ts'
import { type CompiledRule, compileRules } from './compiled-rules.ts'
import { CounterResolver } from './counter-resolver.ts'
import { FairQueue, type Refused } from './fair-queue.ts'
import { guardedStore } from './guarded-store.ts'
import { dryRunRefusals, limitHeaders, standingCounts } from './limit-headers.ts'
import { isFull, limitStoreFullError, rateLimitError } from './limit-refusal.ts'
import {
  failurePolicies,
  type LimitsOptions,
  limitDefaults,
  limitOptionIssues,
  ruleIssues,
} from './limits-options.ts'
import { directMemoryStore, memoryLimitStore } from './memory-store.ts'
import { askedRoom, chargesOf, type ReservationRequest } from './reservation-request.ts'
import { limitRule } from './rule.ts'

/** A claim that was decided, with what it asked for: whoever waits in line may be told of another's. */
interface Decided {
  readonly room: ReservationRequest
  readonly claim: DecidedClaim
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

const noRoomAsked: Lease = { headers: {}, settle() {} }

/**
 * Creates a limiter from rules: `limits([requests(60).per('minute'), concurrent(5)])`. A request is admitted if it is within
 * all rules that apply to it, including those of its principal. It counts against all of them or none.
 *
 * It is synchronous if the store is, without `wait`. Throws `ConfigurationError` that lists all invalid rules and options.
 */
export function limits(rules: readonly LimitRuleData[], given: LimitsOptions = {}): Limiter {
  const issues = [...ruleIssues(rules, limitRule), ...limitOptionIssues(given)]
  if (issues.length > 0) throw new ConfigurationError('limits()', issues)
  const options = ownMembers(given)
  const limiter = new RuleLimiter(rules, options)
  const maxMs = options.wait?.maxMs
  return {
    enforcesPrincipalLimits: true,
    admit: (principal, draft, context) => limiter.admit(principal, draft, context),
    ...(maxMs === undefined ? {} : { maxWaitMs: maxMs }),
    appliesToAll: rules.length > 0,
  }
}

class RuleLimiter {
  readonly #rules: readonly CompiledRule[]
  readonly #counts: CounterResolver
  /** By the list of a principal's own rules. */
  readonly #withOwn = new WeakMap<readonly LimitRuleData[], CounterResolver>()
  readonly #claim: (room: ReservationRequest) => DecidedClaim | Promise<DecidedClaim>
  readonly #queue: FairQueue<Decided> | undefined
  readonly #maxOutputTokens: number
  readonly #ietf: boolean
  readonly #clock = systemClock

  constructor(rules: readonly LimitRuleData[], options: LimitsOptions) {
    const { store, now, wait } = options
    this.#rules = compileRules(rules, 'gateway')
    this.#counts = new CounterResolver(this.#rules)
    this.#claim = claimsIn(store ?? memoryLimitStore(now === undefined ? {} : { now }), options, this.#clock)
    this.#maxOutputTokens = options.maxOutputTokens ?? limitDefaults.maxOutputTokens
    this.#ietf = options.ietfHeaders ?? limitDefaults.ietfHeaders
    if (wait === undefined) return
    this.#queue = new FairQueue({
      maxMs: wait.maxMs,
      maxQueued: wait.maxQueued,
      refusedBy: refusedBy,
      giveBack: decided => void this.#settle(decided, chargesOf(decided.room, undefined, null)),
      clock: this.#clock,
    })
  }

  admit(principal: Principal, draft: Draft, context: LimitContext): Lease | Promise<Lease> {
    const asked = this.#countsOf(principal)
    if (asked === undefined) return noRoomAsked
    const counts = asked.of(principal, draft, context)
    const room = askedRoom(counts, draft, context, this.#maxOutputTokens)
    if (room.counters.length === 0) return noRoomAsked
    const queue = this.#queue
    if (queue === undefined) {
      const claim = this.#claim(room)
      return isPromise(claim) ? claim.then(came => this.#lease(room, came)) : this.#lease(room, claim)
    }
    const from = this.#clock.monotonic()
    const decided = queue.wait(principalKey(principal), context.signal, () => {
      const claim = this.#claim(room)
      return isPromise(claim) ? claim.then(came => ({ room, claim: came })) : { room, claim }
    })
    const leased = (came: Decided) => this.#lease(came.room, came.claim, this.#clock.monotonic() - from)
    return isPromise(decided) ? decided.then(leased) : leased(decided)
  }

  #lease(room: ReservationRequest, claim: DecidedClaim, waitedMs?: number): Lease {
    const { decision: verdict } = claim
    const headers = limitHeaders(room, verdict, this.#ietf)
    if (!verdict.allowed) {
      throw isFull(verdict)
        ? limitStoreFullError(headers)
        : rateLimitError(standingCounts(room, verdict), headers)
    }
    const lease: Writable<Lease> = {
      headers,
      settle: (usage, cost) => this.#settle({ room, claim }, chargesOf(room, usage, cost)),
    }
    const wouldHaveRefused = dryRunRefusals(room, verdict)
    if (wouldHaveRefused !== undefined) lease.wouldHaveRefused = wouldHaveRefused
    if (room.maxOutputTokens !== undefined) lease.maxOutputTokens = room.maxOutputTokens
    if (room.promptTokens !== undefined) lease.promptTokens = room.promptTokens
    if (room.spends) lease.spends = true
    if (waitedMs !== undefined) lease.waitedMs = waitedMs
    return lease
  }

  #settle({ room, claim }: Decided, charges: readonly number[]): void | Promise<void> {
    const settling = claim.settle(charges)
    const queue = this.#queue
    if (queue === undefined) return settling
    const released = () => queue.released(room.counts.map(({ key }) => key))
    if (isPromise(settling)) return settling.then(released)
    released()
  }

  /**
   * Those of the gateway, and the principal's own; `undefined` where neither has any. One that cannot be used must not
   * become no rule.
   */
  #countsOf(principal: Principal): CounterResolver | undefined {
    const own = memberOf(principal, 'limits')
    if (own === undefined || own === null) return this.#rules.length === 0 ? undefined : this.#counts
    const known = typeof own === 'object' ? this.#withOwn.get(own) : undefined
    if (known !== undefined) return known
    const issues = ruleIssues(own, limitRule)
    if (issues.length > 0)
      throw new ConfigurationError(`The limits of the principal '${principal.id}'`, issues)
    const counts = new CounterResolver([...this.#rules, ...compileRules(own, 'principal')])
    this.#withOwn.set(own, counts)
    return counts
  }
}

/** Room is claimed in the store: without an id and a guard where that is in this process. */
function claimsIn(
  store: LimitStore,
  options: LimitsOptions,
  clock: Clock,
): (room: ReservationRequest) => DecidedClaim | Promise<DecidedClaim> {
  const here = directMemoryStore(store)
  if (here !== undefined) return ({ counters }) => here.claim(counters)
  const guarded = guardedStore(store, {
    onStoreFailure: failurePolicies(options.onStoreFailure),
    instances: options.instances ?? limitDefaults.instances,
    timeoutMs: options.storeTimeoutMs ?? limitDefaults.storeTimeoutMs,
    observe: options.observe ?? (() => {}),
    clock,
  })
  const ttlMs = options.leaseMs ?? limitDefaults.leaseMs
  const id = claimId(options.generateId)
  return ({ counters, counts }) =>
    guarded.admit(
      // Copies: some are the same for all requests, and a store is of the user's making.
      { id: id(), ttlMs, counters: counters.map(counter => ({ ...counter })) },
      counts.map(({ rule }) => rule.kind),
    )
}

/** What a line is told of a claim that has no room. A budget is not waited for: it is renewed in hours at the best. */
function refusedBy({ room, claim: { decision: verdict } }: Decided): Refused | undefined {
  if (verdict.allowed) return undefined
  if (isFull(verdict)) return { waitMs: Number.POSITIVE_INFINITY, keys: [] }
  let waitMs = 0
  const keys: string[] = []
  for (const { count, state } of standingCounts(room, verdict)) {
    if (!state.over) continue
    keys.push(count.key)
    if (count.rule.kind === 'budget') waitMs = Number.POSITIVE_INFINITY
    else if (count.rule.kind !== 'concurrent') waitMs = Math.max(waitMs, state.waitMs)
  }
  return { waitMs, keys }
}

/** Ids of the user's making where they are fit: two claims with one id would be settled as one. */
function claimId(given: (() => string) | undefined): () => string {
  if (given === undefined) return freshId
  return () => {
    const id: unknown = given()
    return typeof id === 'string' && /^[0-9a-f]{32}$/.test(id) ? id : freshId()
  }
}
