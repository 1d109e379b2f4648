import type { Clock } from '../../clock/clock.ts'
import type { AttemptReason } from '../../contracts/events.ts'
import type { Lease } from '../../contracts/limiter.ts'
import type { Adjustment, UnsupportedParameters } from '../../contracts/provider.ts'
import type { RoutedTarget } from '../../contracts/route.ts'
import type { HealthRecord, KeyUse, TargetUnavailable } from '../../contracts/target-health.ts'
import { AnsweredElsewhere, LifeEnded, QueueLeft } from '../../errors/abort-reasons.ts'
import { GatewayError } from '../../errors/errors.ts'
import { retryAfterMs } from '../../errors/retry-headers.ts'
import { isTimeout, UpstreamError } from '../../errors/upstream-error.ts'
import { isPromise } from '../../primitives/is-promise.ts'
import { memberOf } from '../../primitives/own-members.ts'
import type { AttemptObserver, CallContext, CallDependencies } from '../call-context.ts'
import { admitCall, dependenciesOf } from '../call-options.ts'
import { type CallRequest, inputsOf } from '../call-request.ts'
import { cooldownMs } from '../health/classify-outcome.ts'
import { retryOptionsOf } from '../health/health-options.ts'
import { ProviderCall } from '../provider-call.ts'
import { refusesReasoning } from '../refuses-reasoning.ts'
import { isAllowed, type RetryState, type TargetAttemptState } from './next-attempt.ts'
import { backoffDelay, hedgeTime, isRetryable, mayMoveOn } from './retry-policy.ts'
import { callShadows } from './shadows.ts'
import { sleepUntil } from './sleep-until.ts'
import {
  allKeysUnavailable,
  allTargetsUnavailable,
  keySkipped,
  skippedFor,
  UnavailableTargets,
} from './unavailable-targets.ts'
import { type AttemptHost, UpstreamAttempt } from './upstream-attempt.ts'

const never = Number.POSITIVE_INFINITY

const none: readonly UpstreamAttempt[] = []
const noAdjustments: readonly Adjustment[] = Object.freeze([])

/** Runs the attempts of one request: those under way, the results of the others, and the state that decides on the next. */
export class AttemptRunner implements RetryState, AttemptHost {
  readonly targets: TargetAttemptState[]
  made = 0
  only: number | undefined
  due: number | undefined
  readonly #request: CallRequest
  readonly #targets: readonly RoutedTarget[]
  readonly #context: CallContext
  readonly #observer: AttemptObserver
  readonly #dependencies: CallDependencies
  #running: readonly UpstreamAttempt[] = none
  /** The attempt that began last. */
  #latest: UpstreamAttempt | undefined
  /** The attempt that failed with `#failure`, and whether that is still to be reported. */
  #failed: UpstreamAttempt | undefined
  #unreported = false
  #failure: unknown
  #left = false
  #hedgeAt = never
  /** When the attempt that began last leaves the queue of its provider, if it is still in it: there is another target. */
  #queueUntil = never
  /** How often a target was called again after a wait. */
  #retries = 0
  /** Releases the retry of `due`, and how long it was waited for. */
  #releaseRetry: (() => void) | undefined
  #waitedMs = 0
  /** The retry budget denied a retry. */
  #denied = false
  /** The last attempt failed on a stale connection: it is repeated once, not twice in a row. */
  #wasStale = false
  /** The request without the reasoning that the target of an index refused: it is called once more, once per request. */
  #unthought: { readonly index: number; readonly request: CallRequest } | undefined
  /** The use of keys, by the index of the target. Created for a provider with several keys. */
  #keyUses: Map<number, KeyUse> | undefined
  /** Created where a target is unavailable, which is rare. */
  #unavailable: UnavailableTargets | undefined
  /** All targets are unavailable: they are tried as the last resort. */
  #lastResort = false

  constructor(
    request: CallRequest,
    targets: readonly RoutedTarget[],
    context: CallContext,
    observer: AttemptObserver,
    dependencies: CallDependencies,
    now: number,
  ) {
    this.#request = request
    this.#targets = targets
    this.#context = context
    this.#observer = observer
    this.#dependencies = dependencies
    const createState = (target: RoutedTarget) => createTargetState(target, now, dependencies)
    // The list of a model with one target is frozen, and V8 maps frozen arrays slowly.
    this.targets = targets.length === 1 ? [createState(targets[0]!)] : targets.map(createState)
  }

  get running(): number {
    return this.#running.length
  }

  get closed(): boolean {
    return this.#left || this.#context.committed
  }

  get headAt(): number {
    return this.#context.headAt
  }

  get clock(): Clock {
    return this.#dependencies.clock
  }

  get unsupportedParameters(): UnsupportedParameters {
    return this.#dependencies.unsupportedParameters
  }

  get hedgeAt(): number {
    if (this.#queueUntil === never || !this.#running.some(({ entry }) => entry.isQueued)) return this.#hedgeAt
    return Math.min(this.#hedgeAt, this.#queueUntil)
  }

  get holdMs(): number | undefined {
    if (this.#running.length > 1 || this.hedgeAt < never) return undefined
    // An upstream that has sent its head is at work. While another target could be called, a longer silence ends the wait.
    return this.#context.headAt < never ? this.#dependencies.holdMs : this.#dependencies.keepAliveMs
  }

  /**
   * Returns the lease of a target with limits, which is to be passed to `begin`. Where they are exceeded, it excludes the target, and
   * returns `undefined`. That is also returned if an attempt ends first, which a hedge must not hold up.
   */
  async admit(index: number): Promise<Lease | undefined> {
    const target = this.#targets[index]!
    try {
      const { limits } = target.callOptions!
      const admitting = admitCall(target, limits!, this.#context.lifetime, this.#observer, this.#dependencies)
      if (!isPromise(admitting) || this.#running.length === 0) return await admitting
      const first = await Promise.race([admitting, ...this.#running.map(({ outcome }) => outcome)])
      if (!(first instanceof UpstreamAttempt)) return first
      // Another target was faster than the limits of this one.
      this.#neverHedge()
      admitting.then(
        lease => this.#observer.releaseLease(lease),
        () => {},
      )
      return undefined
    } catch (error) {
      if (!GatewayError.is(error)) throw error
      this.due = undefined
      this.#releaseRetry?.()
      this.#releaseRetry = undefined
      this.#waitedMs = 0
      const waitMs = retryAfterMs(error) ?? cooldownMs.least
      const limit = error.reason === 'limiter_unavailable' ? 'unknown' : 'exceeded'
      this.#exclude(index, { state: 'cooldown', waitMs, reason: 'rate_limited', limit })
      return undefined
    }
  }

  /** Whether a target has limits of its own: `admit` goes before `begin`. */
  isLimited(index: number): boolean {
    return this.#targets[index]!.callOptions?.limits !== undefined
  }

  /** Starts an attempt, where its target is available. `lease`: that of `admit`. */
  begin(index: number, why: Exclude<AttemptReason, 'shadow'>, now: number, lease?: Lease): void {
    if (why === 'hedge' && now < this.hedgeAt) {
      // The other call has left its queue while the limits of this target decided.
      this.#observer.releaseLease(lease)
      return
    }
    const target = this.#targets[index]!
    const state = this.targets[index]!
    const retry = this.#releaseRetry
    const waitedMs = this.#waitedMs
    this.due = undefined
    this.#releaseRetry = undefined
    this.#waitedMs = 0
    const record = this.#dependencies.health.of(target)
    const keys = memberOf(target.provider, 'keys') === undefined ? undefined : this.#keyUseOf(index)
    if (keys !== undefined) this.#reportKeys(target, record, now)
    const health = record.begin(now, this.#lastResort, this.#context.caller, keys, target.callOptions)
    if (!('ended' in health)) {
      retry?.()
      this.#observer.releaseLease(lease)
      this.#exclude(index, health)
      if (!this.#hasAnotherTarget(now)) this.#neverHedge()
    } else {
      if (now >= this.#queueUntil) this.#leaveQueues()
      const reason = why === 'hedge' && this.#running.length === 0 ? 'fallback' : why
      this.#reportFailed()
      this.#reportUnavailable()
      const first = state.calls === 0 && !state.leftQueue
      state.calls++
      state.retryAt = undefined
      this.made++
      const dependencies = dependenciesOf(target, this.#dependencies)
      this.#neverHedge()
      if (this.#hasAnotherTarget(now)) {
        this.#hedgeAt = hedgeTime(target, now)
        const isQueued = memberOf(target.provider, 'maxConcurrent') !== undefined
        if (isQueued && this.#hasAnotherTarget(now, false)) {
          this.#queueUntil = now + dependencies.timeouts.queueMs
        }
      }
      const { lifetime, caller } = this.#context
      const observer = this.#observer
      const entry = observer.attempts.begin(target, now, reason, waitedMs)
      if (keys !== undefined) entry.key = health.key
      entry.inputs = inputsOf(this.#request)
      entry.lease = lease
      const call = new ProviderCall(lifetime, dependencies, state.endAt, entry, caller, observer)
      // The adjustments of an earlier attempt say nothing about this one, which may fail before it is encoded.
      observer.adjusted(noAdjustments)
      const attempt = new UpstreamAttempt(index, entry, call, health, retry, this)
      attempt.start(this.#unthought?.index === index ? this.#unthought.request : this.#request)
      this.#latest = attempt
      // Nearly always the only one, and an array that is pushed to allocates capacity for many.
      this.#running = this.#running.length === 0 ? [attempt] : [...this.#running, attempt]
      if (first && target.shadows !== undefined) {
        callShadows(target.shadows, this.#request, this.#context, observer, this.#dependencies)
      }
    }
    this.#planHead(now)
  }

  #neverHedge(): void {
    this.#hedgeAt = never
    this.#queueUntil = never
  }

  /** Another target is called instead of those that wait for a slot. They are as if not called yet, and go last. */
  #leaveQueues(): void {
    for (const attempt of this.#running.filter(({ entry }) => entry.isQueued)) {
      const state = this.targets[attempt.index]!
      attempt.cut(new QueueLeft())
      this.#running = this.#running.filter(other => other !== attempt)
      this.#observer.releaseLease(attempt.entry.takeLease())
      state.calls--
      state.leftQueue = true
      this.made--
    }
  }

  /** Resolves with the next attempt that has a response or fails, or `undefined` when a hedge is due. */
  next(now: number): Promise<UpstreamAttempt | undefined> {
    const hedges = now < this.hedgeAt && this.hedgeAt < never
    if (this.#running.length === 1 && !hedges) return this.#running[0]!.outcome
    return new Promise(resolve => {
      const ms = Math.ceil(this.hedgeAt - now)
      const timer = hedges ? this.clock.setTimer(ms, () => resolve(undefined)) : undefined
      for (const { outcome } of this.#running) {
        void outcome.then(ended => {
          timer?.cancel()
          resolve(ended)
        })
      }
    })
  }

  /** An attempt has a response: cancels all others. */
  won(attempt: UpstreamAttempt): void {
    this.#observer.attempts.answeredBy(attempt.entry)
    for (const other of this.#running) {
      if (other === attempt) continue
      other.cut(new AnsweredElsewhere())
      this.#reportDiscarded(other)
    }
    this.#reportAdjusted(attempt)
  }

  /** An attempt failed. */
  lost(attempt: UpstreamAttempt): void {
    this.#running = this.#running.filter(other => other !== attempt)
    const { index, entry, failure } = attempt
    if (!entry.mayHaveAnswered) this.#observer.releaseLease(entry.takeLease())
    const now = this.#dependencies.clock.monotonic()
    if (failure instanceof LifeEnded) {
      this.#left = true
      this.#failure = failure
      // One of them is charged to the request itself.
      if (entry !== this.#observer.attempts.counted) this.#reportDiscarded(attempt)
      return
    }
    // A target that was not called does not count the first time only: otherwise it would be tried forever.
    if (!entry.called && this.targets[index]!.calls === 1) this.made--
    const stale = !this.#wasStale && UpstreamError.is(failure) && failure.staleConnection
    this.#wasStale = stale
    const unthought = this.#leaveReasoningOut(index, failure)
    const again = stale || attempt.hasOtherKey || unthought
    if (again) this.due = index
    // A retry with another key of the same target is allowed beyond the option: each key can fail once.
    if (again && !stale) for (const state of this.targets) state.maxAttempts++
    const last = again ? failure : this.#failureOfTarget(attempt, now)
    if (this.only === undefined || this.only === index) {
      this.#failure = last
      this.#failed = attempt
      this.#unreported = true
      if (!again && !mayMoveOn(this.#targets[index]!, failure)) this.only = index
    }
    this.#planRetry(index, last, now)
    if (this.#running.length > 0) this.#reportFailed()
    this.#planHead(now)
  }

  /** Waits until a target may be called again, where the retry budget allows it. */
  async wait(index: number, at: number): Promise<void> {
    const { clock, health } = this.#dependencies
    const target = this.#targets[index]!
    const now = clock.monotonic()
    const retry = health.of(target).acquireRetry(now, this.#context.caller)
    if (retry === undefined) {
      this.#denied = true
      this.targets[index]!.excluded = true
      this.#observer.skipped(target, { why: 'retry_budget' })
      return
    }
    this.#releaseRetry = retry
    this.#retries++
    this.#reportFailed()
    if (at > now) await sleepUntil(at, this.#context.lifetime, clock)
    this.#waitedMs = clock.monotonic() - now
    this.due = index
  }

  /** Where every target is unavailable, allows them as the last resort: once. */
  resort(): boolean {
    const unavailable = this.#unavailable
    if (this.#lastResort || this.closed) return false
    if ((unavailable?.size ?? 0) < this.targets.length) return false
    this.#lastResort = true
    unavailable?.clear()
    for (const target of this.targets) target.excluded = false
    return true
  }

  /** Returns the error of the request, when no further target is called. */
  giveUp(): unknown {
    const error =
      this.#failure === undefined ? (this.#unavailable?.error ?? allTargetsUnavailable([])) : undefined
    this.#reportUnavailable()
    if (error !== undefined) return error
    const { attempts } = this.#observer
    if (this.#failed !== undefined && !this.#left) this.#reportAdjusted(this.#failed)
    attempts.exhausted = UpstreamError.is(this.#failure) && (this.made > 1 || this.#denied)
    return this.#failure
  }

  /** Releases everything, where something else than an upstream failed. */
  abandon(): void {
    this.#releaseRetry?.()
    for (const attempt of this.#running) {
      attempt.cut(new LifeEnded(this.#context.lifetime.ended ?? 'client_disconnected'))
      this.#reportDiscarded(attempt)
    }
  }

  /** Decides whether, and from when on, the target that failed may be called again. */
  #planRetry(index: number, failure: unknown, now: number): void {
    const { health } = this.#dependencies
    const target = this.#targets[index]!
    const retry = retryOptionsOf(target.callOptions, this.#dependencies.retry)
    if (retry === undefined || !isRetryable(failure)) return
    const waitMs = backoffDelay(failure, this.#retries, this.#context.random(), retry)
    if (waitMs === undefined) return
    const view = health.of(target).view(now, this.#context.caller)
    if (view.state === 'open' || view.state === 'half_open') this.#exclude(index, view as TargetUnavailable)
    // The cooldown may come from another request, whose `retry-after` was longer.
    else if (view.waitMs <= Math.max(retry.maxRetryAfterMs, cooldownMs.least))
      this.targets[index]!.retryAt = now + Math.max(waitMs, view.waitMs)
  }

  /** Returns the failure of an attempt; where it was the last key of its provider, that of all keys. */
  #failureOfTarget({ index, failure, entry }: UpstreamAttempt, now: number): unknown {
    const isOfKey = entry.key !== undefined && this.#keyUses?.get(index)?.failed.includes(entry.key)
    if (isOfKey !== true || !UpstreamError.is(failure)) return failure
    const { state, waitMs, reason } = this.#dependencies.health
      .of(this.#targets[index]!)
      .view(now, this.#context.caller)
    if (state !== 'cooldown' || waitMs === 0 || reason === undefined) return failure
    return allKeysUnavailable({ reason, waitMs }, failure)
  }

  /** Leaves out the reasoning that a target refused. Returns whether the target is to be called once more. */
  #leaveReasoningOut(index: number, failure: unknown): boolean {
    const request = this.#request
    if (this.#unthought !== undefined || !('withoutReasoning' in request)) return false
    if (this.running > 0 || !refusesReasoning(failure)) return false
    const without = request.withoutReasoning?.()
    if (without === undefined) return false
    this.#unthought = { index, request: without }
    return true
  }

  #keyUseOf(index: number): KeyUse {
    this.#keyUses ??= new Map()
    let use = this.#keyUses.get(index)
    if (use === undefined) {
      use = { random: () => this.#context.random(), failed: [], forbidden: new Map() }
      this.#keyUses.set(index, use)
    }
    return use
  }

  /** Reports the keys that are in cooldown. */
  #reportKeys(target: RoutedTarget, record: HealthRecord, now: number): void {
    for (const key of record.view(now, this.#context.caller).keys ?? []) {
      if (key.waitMs > 0) this.#observer.skipped(target, keySkipped(key), key.id)
    }
  }

  #exclude(index: number, blocked: TargetUnavailable): void {
    const target = this.#targets[index]!
    this.targets[index]!.excluded = true
    if (this.made === 0) {
      this.#unavailable ??= new UnavailableTargets()
      this.#unavailable.add(target, blocked)
    } else this.#observer.skipped(target, skippedFor(blocked))
  }

  /** Whether another target could be called that was not called yet. `left`: also one that left the queue of its provider. */
  #hasAnotherTarget(now: number, left = true): boolean {
    if (this.only !== undefined) return false
    const { health } = this.#dependencies
    const { caller } = this.#context
    for (let index = 0; index < this.targets.length; index++) {
      const { calls, excluded, leftQueue } = this.targets[index]!
      if (calls > 0 || excluded || (leftQueue && !left) || !isAllowed(this, index, now)) continue
      if (health.of(this.#targets[index]!).waitMs(now, caller) === 0) return true
    }
    return false
  }

  /** The head of a stream may be sent without content some time after the last target was called. */
  #planHead(now: number): void {
    const context = this.#context
    if (!this.#request.stream || context.headAt < never || this.#hasAnotherTarget(now)) return
    context.headAt = now + this.#dependencies.keepAliveMs
  }

  #reportUnavailable(): void {
    this.#unavailable?.report((target, why) => this.#observer.skipped(target, why))
  }

  #reportFailed(): void {
    const entry = this.#failed?.entry
    if (this.#unreported && entry !== undefined) {
      this.#observer.attemptFailed(entry)
      // The last attempt is charged to the request itself.
      if (isTimeout(entry.error)) this.#observer.discarded(entry, 'abandoned')
    }
    this.#unreported = false
  }

  /** The adjustments that were reported last are the latest attempt's. */
  #reportAdjusted(attempt: UpstreamAttempt): void {
    if (attempt !== this.#latest) this.#observer.adjusted(attempt.entry.adjustments)
  }

  #reportDiscarded({ entry }: UpstreamAttempt): void {
    if (entry.called) this.#observer.discarded(entry, 'abandoned')
  }
}

function createTargetState(
  target: RoutedTarget,
  now: number,
  dependencies: CallDependencies,
): TargetAttemptState {
  const maxAttempts = target.callOptions?.maxAttempts ?? dependencies.maxAttempts
  const { totalMs } = dependenciesOf(target, dependencies).timeouts
  // A part whose time is over when it begins fails as a call that is too slow.
  const endAt = Math.max(now + 1, (dependencies.startedAt ?? now) + totalMs)
  return { calls: 0, excluded: false, leftQueue: false, retryAt: undefined, maxAttempts, endAt }
}
