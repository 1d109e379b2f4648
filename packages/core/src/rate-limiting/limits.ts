import { type Clock, systemClock } from '../clock/clock.ts'
import type { Draft } from '../contracts/draft.ts'
import type { Observer } from '../contracts/events.ts'
import type { DecidedClaim, LimitDecision, LimitStore } from '../contracts/limit-store.ts'
import type { Lease, LimitContext, Limiter, LimitState } from '../contracts/limiter.ts'
import type { LimitRuleData, Principal } from '../contracts/principal.ts'
import type { ProcessStores } from '../contracts/process-stores.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { GatewayError } from '../errors/errors.ts'
import { reportLimits } from '../http/limit-headers.ts'
import { safeObserver } from '../observability/observers.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { memberOf, ownMembers } from '../primitives/own-members.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { freshId } from '../primitives/random.ts'
import { processStores, processStoreTimeoutMs, sharedStore } from '../stores/process-stores.ts'
import { type BudgetReport, budgetReport } from './budget-report.ts'
import { type CompiledRule, compileRules } from './compiled-rules.ts'
import { CounterResolver, type PlannedCount } from './counter-resolver.ts'
import { EndUsersByWindow } from './end-users.ts'
import { FairQueue, type QueueRefusal } from './fair-queue.ts'
import { guardedStore } from './guarded-store.ts'
import { isFull, limitStoreFullError, rateLimitError } from './limit-error.ts'
import { dryRunRefusals, enforcedCounts, limitStates } from './limit-state.ts'
import {
  failurePolicies,
  type LimitsOptions,
  limitDefaults,
  limitOptionIssues,
  ruleIssues,
} from './limits-options.ts'
import { directMemoryStore, memoryLimitStore } from './memory-limit-store.ts'
import { chargesOf, type ReservationRequest, reservationRequest } from './reservation-request.ts'
import { limitRule } from './rule.ts'

/** A decided claim with its request: in a queue one request may be decided for another. */
interface Decided {
  readonly request: ReservationRequest
  readonly claim: DecidedClaim
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

type ClaimFunction = (request: ReservationRequest) => DecidedClaim | Promise<DecidedClaim>

const unlimited: Lease = { settle() {} }

/**
 * Limits requests by rules: `limits([requests(60).per('minute'), concurrent(5)])`. A request is admitted when all rules
 * that apply to it allow it, those of its principal included, and it reserves from all of them or from none.
 *
 * With a synchronous store and without `wait`, `admit` is synchronous too. Throws `ConfigurationError` naming every invalid
 * rule and option.
 */
export function limits(rules: readonly LimitRuleData[], given: LimitsOptions = {}): Limiter {
  const issues = [...ruleIssues(rules, limitRule), ...limitOptionIssues(given)]
  if (issues.length > 0) throw new ConfigurationError('limits()', issues)
  const options = ownMembers(given)
  const limiter = new RuleLimiter(rules, options)
  // The gateway must not give up before the store has.
  const maxWaitMs = (options.wait?.maxMs ?? 0) + (options.storeTimeoutMs ?? 0)
  return {
    enforcesPrincipalLimits: true,
    admit: (principal, draft, context) => limiter.admit(principal, draft, context),
    ...(maxWaitMs > 0 && { maxWaitMs }),
    appliesToAll: rules.length > 0,
    models: rules.flatMap(rule => memberOf(rule, 'models') ?? []),
  }
}

class RuleLimiter {
  readonly #rules: readonly CompiledRule[]
  readonly #endUsers: EndUsersByWindow
  readonly #counts: CounterResolver
  /** By the list of a principal's rules. */
  readonly #withOwn = new WeakMap<readonly LimitRuleData[], CounterResolver>()
  readonly #store: LimitStore
  readonly #options: LimitsOptions
  #claims: ClaimFunction | undefined
  /** The shared stores that `#claims` is for. */
  #claimsFor: ProcessStores | undefined
  readonly #queue: FairQueue<Decided> | undefined
  readonly #maxOutputTokens: number
  readonly #ietf: boolean
  readonly #observe: Observer | undefined
  readonly #clock: Clock

  constructor(rules: readonly LimitRuleData[], options: LimitsOptions) {
    const { store, clock = systemClock, wait } = options
    const now = options.now ?? (clock === systemClock ? undefined : () => clock.now())
    this.#clock = clock
    this.#endUsers = new EndUsersByWindow(
      options.maxUsers ?? limitDefaults.maxUsers,
      now ?? this.#clock.monotonic,
    )
    this.#rules = compileRules(rules, 'gateway', this.#endUsers)
    this.#counts = new CounterResolver(this.#rules)
    this.#store = store ?? memoryLimitStore(now === undefined ? {} : { now })
    this.#options = options
    this.#maxOutputTokens = options.maxOutputTokens ?? limitDefaults.maxOutputTokens
    this.#observe = options.observe && safeObserver(options.observe)
    this.#ietf = options.ietfHeaders ?? limitDefaults.ietfHeaders
    if (wait === undefined) return
    this.#queue = new FairQueue({
      maxMs: wait.maxMs,
      maxQueued: wait.maxQueued,
      refusedBy,
      release: decided => void this.#settle(decided, chargesOf(decided.request, undefined, null)),
      clock: this.#clock,
    })
  }

  admit(principal: Principal, draft: Draft, context: LimitContext): Lease | Promise<Lease> {
    const resolver = this.#countsOf(principal)
    if (resolver === undefined) return unlimited
    const counts = resolver.of(principal, draft, context)
    const request = reservationRequest(counts, draft, context, this.#maxOutputTokens)
    if (request.counters.length === 0) return unlimited
    const queue = this.#queue
    const observe = this.#observe
    const reportOf =
      observe === undefined || !request.counts.some(hasBudget)
        ? undefined
        : ({ request, claim }: Decided) =>
            budgetReport(request, claim.decision, principal, draft, context.entry, observe)
    if (queue === undefined) {
      const claim = this.#claim(request)
      return isPromise(claim)
        ? claim.then(decided => this.#lease({ request, claim: decided }, reportOf))
        : this.#lease({ request, claim }, reportOf)
    }
    const from = this.#clock.monotonic()
    const deciding = queue.wait(principalKey(principal), context.signal, () => {
      const claim = this.#claim(request)
      return isPromise(claim) ? claim.then(decided => ({ request, claim: decided })) : { request, claim }
    })
    const lease = (decided: Decided) => this.#lease(decided, reportOf, this.#clock.monotonic() - from)
    return isPromise(deciding) ? deciding.then(lease) : lease(deciding)
  }

  /** Claims from the store, or from the one that processes share instead. */
  #claim(request: ReservationRequest): DecidedClaim | Promise<DecidedClaim> {
    const shared = processStores()
    if (this.#claims === undefined || shared !== this.#claimsFor) {
      const defaults = shared && { instances: shared.processes, storeTimeoutMs: processStoreTimeoutMs }
      const options = { ...defaults, ...this.#options }
      const store = sharedStore(this.#store)
      this.#claims = claimsIn(store, options, this.#clock, store !== this.#store)
      this.#claimsFor = shared
    }
    return this.#claims(request)
  }

  #lease(
    decided: Decided,
    reportOf: ((decided: Decided) => BudgetReport | undefined) | undefined,
    waitedMs?: number,
  ): Lease {
    const { request, claim } = decided
    const { decision } = claim
    const states = limitStates(request, decision)
    const report = reportOf?.(decided)
    if (!decision.allowed) {
      report?.()
      throw this.#errorOf(request, decision, states)
    }
    const lease: Writable<Lease> = {
      settle: (usage, cost) => {
        const charged = chargesOf(request, usage, cost)
        const settling = this.#settle(decided, charged)
        report?.(charged)
        return settling
      },
    }
    if (states !== undefined) {
      lease.limits = states
      if (this.#ietf) lease.ietfHeaders = true
    }
    const wouldHaveRefused = dryRunRefusals(request, decision)
    if (wouldHaveRefused !== undefined) lease.wouldHaveRefused = wouldHaveRefused
    if (request.maxOutputTokens !== undefined) lease.maxOutputTokens = request.maxOutputTokens
    if (request.promptTokens !== undefined) lease.promptTokens = request.promptTokens
    if (request.spends) lease.spends = true
    if (waitedMs !== undefined) lease.waitedMs = waitedMs
    return lease
  }

  #errorOf(
    request: ReservationRequest,
    decision: LimitDecision,
    states: readonly LimitState[] = [],
  ): GatewayError {
    const error = isFull(decision) ? limitStoreFullError() : rateLimitError(enforcedCounts(request, decision))
    return reportLimits(error, { limits: states, ietfHeaders: this.#ietf })
  }

  #settle({ request, claim }: Decided, charges: readonly number[]): void | Promise<void> {
    const settling = claim.settle(charges)
    const queue = this.#queue
    if (queue === undefined) return settling
    const released = () => queue.released(request.counts.map(({ key }) => key))
    if (isPromise(settling)) return settling.then(released)
    released()
  }

  /**
   * The counts of the gateway's rules and the principal's own; `undefined` where neither has any. Throws
   * `ConfigurationError` for an invalid rule, which must not be ignored.
   */
  #countsOf(principal: Principal): CounterResolver | undefined {
    const own = memberOf(principal, 'limits')
    if (own === undefined) return this.#rules.length === 0 ? undefined : this.#counts
    const known = typeof own === 'object' && own !== null ? this.#withOwn.get(own) : undefined
    if (known !== undefined) return known
    const issues = ruleIssues(own, limitRule)
    if (issues.length > 0)
      throw new ConfigurationError(`The limits of the principal '${principal.id}'`, issues)
    const counts = new CounterResolver([...this.#rules, ...compileRules(own, 'principal', this.#endUsers)])
    this.#withOwn.set(own, counts)
    return counts
  }
}

function hasBudget({ rule }: PlannedCount): boolean {
  return rule.kind === 'budget'
}

/**
 * Returns a function that claims from the store: without an id and a guard if the store is in this process.
 *
 * @param isShared - whether processes share it: such a store changes no counter, and does not acknowledge settlements.
 */
function claimsIn(store: LimitStore, options: LimitsOptions, clock: Clock, isShared: boolean): ClaimFunction {
  const here = directMemoryStore(store)
  if (here !== undefined) return ({ counters }) => here.claim(counters)
  const id = claimId(options.generateId)
  const guarded = guardedStore(store, {
    onStoreFailure: failurePolicies(options.onStoreFailure),
    instances: options.instances ?? limitDefaults.instances,
    timeoutMs: options.storeTimeoutMs ?? limitDefaults.storeTimeoutMs,
    observe: options.observe ?? (() => {}),
    clock,
    generateId: id,
    acknowledges: !isShared,
    ...(clock !== systemClock && { local: memoryLimitStore({ now: () => clock.now() }) }),
  })
  const ttlMs = options.leaseMs ?? limitDefaults.leaseMs
  return ({ counters, counts }) =>
    guarded.admit(
      // Copies, because some are shared by all requests and a custom store might change them.
      { id: id(), ttlMs, counters: isShared ? counters : counters.map(counter => ({ ...counter })) },
      counts.map(({ rule }) => rule.kind),
    )
}

/** Returns why a claim was rejected, for the queue. No request waits for a budget, which renews in hours at the earliest. */
function refusedBy({ request, claim: { decision } }: Decided): QueueRefusal | undefined {
  if (decision.allowed) return undefined
  if (isFull(decision)) return { waitMs: Number.POSITIVE_INFINITY, keys: [] }
  let waitMs = 0
  const keys: string[] = []
  for (const { count, state } of enforcedCounts(request, decision)) {
    if (!state.over) continue
    keys.push(count.key)
    if (count.rule.kind === 'budget') waitMs = Number.POSITIVE_INFINITY
    else if (count.rule.kind !== 'concurrent') waitMs = Math.max(waitMs, state.waitMs)
  }
  return { waitMs, keys }
}

/** Returns a valid custom id or a fresh one: two claims with one id would be settled as one. */
function claimId(given: (() => string) | undefined): () => string {
  if (given === undefined) return freshId
  return () => {
    const id: unknown = given()
    return typeof id === 'string' && /^[0-9a-f]{32}$/.test(id) ? id : freshId()
  }
}
