import type { Clock } from '../../clock/clock.ts'
import type { AttemptReason } from '../../contracts/events.ts'
import type { Adjustment } from '../../contracts/provider.ts'
import type { RoutedTarget } from '../../contracts/route.ts'
import type { TargetUnavailable } from '../../contracts/target-health.ts'
import { AnsweredElsewhere, LifeEnded } from '../../errors/abort-reasons.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import type { Lifetime } from '../../http/lifetime.ts'
import { isTimeout } from '../../observability/attempt-log.ts'
import type { ChatRequest } from '../../protocol/chat.ts'
import { Attempt } from '../attempt.ts'
import type { AttemptObserver, CallDependencies } from '../call-context.ts'
import { cooldownMs } from '../health/classify-outcome.ts'
import type { RetryState, TargetAttemptState } from './next-attempt.ts'
import { backoffDelay, hedgeTime, isRetryable, mayMoveOn } from './retry-policy.ts'
import { callShadows } from './shadows.ts'
import { sleepUntil } from './sleep-until.ts'
import { allTargetsUnavailable, skippedFor, UnavailableTargets } from './unavailable-targets.ts'
import { type AttemptHost, UpstreamAttempt } from './upstream-attempt.ts'

const never = Number.POSITIVE_INFINITY

const none: readonly UpstreamAttempt[] = []
const nothing: readonly Adjustment[] = Object.freeze([])

/** The calls of one request: what is under way, what became of the others, and what that means for the next. */
export class AttemptRunner implements RetryState, AttemptHost {
  readonly standings: TargetAttemptState[]
  readonly endAt: number
  readonly maxAttempts: number
  made = 0
  hedgeAt = never
  only: number | undefined
  due: number | undefined
  readonly #input: ChatRequest
  readonly #candidates: readonly RoutedTarget[]
  readonly #lifetime: Lifetime
  readonly #attempts: AttemptObserver
  readonly #world: CallDependencies
  #running: readonly UpstreamAttempt[] = none
  /** The last call that began. */
  #latest: UpstreamAttempt | undefined
  /** The call that failed with what is told, and whether somebody was told of it. */
  #failed: UpstreamAttempt | undefined
  #untold = false
  #failure: unknown
  #left = false
  /** How often a place was waited for and asked again. */
  #repeats = 0
  /** Leave to ask `due` again, and how long was waited for that. */
  #leave: (() => void) | undefined
  #waitedMs = 0
  /** Leave was asked for and not given. */
  #denied = false
  /** A call that was made again as its kept connection was closed: not twice in a row. */
  #wasStale = false
  /** Made where a place is: seldom. */
  #leftAlone: UnavailableTargets | undefined
  /** Nothing else is left but those that are left alone. */
  #resorted = false

  constructor(
    input: ChatRequest,
    candidates: readonly RoutedTarget[],
    lifetime: Lifetime,
    attempts: AttemptObserver,
    world: CallDependencies,
    now: number,
  ) {
    this.#input = input
    this.#candidates = candidates
    this.#lifetime = lifetime
    this.#attempts = attempts
    this.#world = world
    this.maxAttempts = world.maxAttempts
    this.endAt = now + world.timeouts.totalMs
    // A list of one is frozen, where it is a model's own, and the engine is slow at mapping those.
    this.standings = candidates.length === 1 ? [untried()] : candidates.map(untried)
  }

  get running(): number {
    return this.#running.length
  }

  get closed(): boolean {
    return this.#left || this.#attempts.committed
  }

  get headAt(): number {
    return this.#attempts.headAt
  }

  get clock(): Clock {
    return this.#world.clock
  }

  get unsupportedParameters(): CallDependencies['unsupportedParameters'] {
    return this.#world.unsupportedParameters
  }

  get holdMs(): number | undefined {
    if (this.#running.length > 1 || this.hedgeAt < never) return undefined
    // Whoever has sent its head is at work: while another place could be asked, a silence longer than this is bridged.
    return this.#attempts.headAt < never ? this.#world.holdMs : this.#world.keepAliveMs
  }

  adjusted(adjustments: readonly Adjustment[]): void {
    this.#attempts.adjusted(adjustments)
  }

  /** Begins a call, where its place may be asked. */
  begin(index: number, why: Exclude<AttemptReason, 'shadow'>, now: number): void {
    const candidate = this.#candidates[index]!
    const standing = this.standings[index]!
    const leave = this.#leave
    const waitedMs = this.#waitedMs
    this.due = undefined
    this.#leave = undefined
    this.#waitedMs = 0
    const health = this.#world.health.of(candidate).begin(now, this.#resorted, this.#attempts.caller)
    if (!('ended' in health)) {
      leave?.()
      this.#bar(index, health)
      if (!this.#anotherPlace(now)) this.hedgeAt = never
    } else {
      this.#tellFailed()
      this.#tellLeftAlone()
      const first = standing.asked === 0
      standing.asked++
      standing.againAt = undefined
      this.made++
      this.hedgeAt = this.#anotherPlace(now) ? hedgeTime(candidate, now) : never
      const entry = this.#attempts.log.begin(candidate, now, why, waitedMs)
      const attempt = new Attempt(this.#lifetime, this.#world, this.endAt, entry, this.#attempts.caller)
      // What was adjusted for a target before says nothing of this one, which may refuse by itself.
      this.#attempts.adjusted(nothing)
      const call = new UpstreamAttempt(index, entry, attempt, health, leave, this, this.#input)
      this.#latest = call
      // Nearly always the only one: a list that is pushed to takes room for many.
      this.#running = this.#running.length === 0 ? [call] : [...this.#running, call]
      if (first && candidate.shadows !== undefined) {
        callShadows(candidate.shadows, this.#input, this.#attempts, this.#world)
      }
    }
    this.#lookAhead(now)
  }

  /** The next call that answers or fails; `undefined` when it is time for a hedge, where that is still to come. */
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

  /** A call answers: those beside it are cut off. */
  won(call: UpstreamAttempt): void {
    this.#attempts.log.answeredBy(call.entry)
    for (const other of this.#running) {
      if (other === call) continue
      other.cut(new AnsweredElsewhere())
      this.#tellUnused(other)
    }
    this.#tellAdjusted(call)
  }

  /** A call failed. */
  lost(call: UpstreamAttempt): void {
    this.#running = this.#running.filter(other => other !== call)
    const { index, entry, failure } = call
    const now = this.#world.clock.monotonic()
    if (failure instanceof LifeEnded) {
      this.#left = true
      this.#failure = failure
      // The request's record counts one of them.
      if (entry !== this.#attempts.log.counted) this.#tellUnused(call)
      return
    }
    // What was not asked does not count, but that a place is not tried for ever.
    if (!entry.called && this.standings[index]!.asked === 1) this.made--
    const stale = !this.#wasStale && UpstreamError.is(failure) && failure.staleConnection
    this.#wasStale = stale
    if (stale) this.due = index
    if (this.only === undefined || this.only === index) {
      this.#failure = failure
      this.#failed = call
      this.#untold = true
      if (!stale && !mayMoveOn(this.#candidates[index]!, failure)) this.only = index
    }
    this.#judge(index, failure, now)
    if (this.#running.length > 0) this.#tellFailed()
    this.#lookAhead(now)
  }

  /** Waits until a place may be asked again, where there is leave for it. */
  async wait(index: number, at: number): Promise<void> {
    const { clock, health } = this.#world
    const candidate = this.#candidates[index]!
    const now = clock.monotonic()
    const leave = health.of(candidate).acquireRetry(now, this.#attempts.caller)
    if (leave === undefined) {
      this.#denied = true
      this.standings[index]!.barred = true
      this.#attempts.skipped(candidate, { why: 'retry_budget' })
      return
    }
    this.#leave = leave
    this.#repeats++
    this.#tellFailed()
    if (at > now) await sleepUntil(at, this.#lifetime, clock)
    this.#waitedMs = clock.monotonic() - now
    this.due = index
  }

  /** Where every place is left alone, tries them as the last resort: once. */
  resort(): boolean {
    const leftAlone = this.#leftAlone
    if (this.#resorted || this.closed) return false
    if ((leftAlone?.size ?? 0) < this.standings.length) return false
    this.#resorted = true
    leftAlone?.clear()
    for (const standing of this.standings) standing.barred = false
    return true
  }

  /** What the request has come to, when nothing further is asked. */
  giveUp(): unknown {
    const refusal =
      this.#failure === undefined ? (this.#leftAlone?.refusal ?? allTargetsUnavailable([])) : undefined
    this.#tellLeftAlone()
    if (refusal !== undefined) return refusal
    const { log } = this.#attempts
    if (this.#failed !== undefined && !this.#left) this.#tellAdjusted(this.#failed)
    log.exhausted = UpstreamError.is(this.#failure) && (this.made > 1 || this.#denied)
    return this.#failure
  }

  /** Gives back whatever is held, where something else than an upstream failed. */
  abandon(): void {
    this.#leave?.()
    for (const call of this.#running) {
      call.cut(new LifeEnded(this.#lifetime.ended ?? 'client_disconnected'))
      this.#tellUnused(call)
    }
  }

  /** Whether, and from when on, the place that failed may be asked again. */
  #judge(index: number, failure: unknown, now: number): void {
    const { health, retry } = this.#world
    const candidate = this.#candidates[index]!
    const standing = this.standings[index]!
    if (retry === undefined || !isRetryable(failure)) return
    const waitMs = backoffDelay(failure, this.#repeats, this.#attempts.random(), retry)
    if (waitMs === undefined) return
    const view = health.of(candidate).view(now, this.#attempts.caller)
    if (view.state === 'open' || view.state === 'half_open') this.#bar(index, view as TargetUnavailable)
    // The cooldown may come from another request, whose `retry-after` was longer.
    else if (view.waitMs <= Math.max(retry.maxRetryAfterMs, cooldownMs.least))
      standing.againAt = now + Math.max(waitMs, view.waitMs)
  }

  #bar(index: number, blocked: TargetUnavailable): void {
    const candidate = this.#candidates[index]!
    this.standings[index]!.barred = true
    if (this.made === 0) {
      this.#leftAlone ??= new UnavailableTargets()
      this.#leftAlone.add(candidate, blocked)
    } else this.#attempts.skipped(candidate, skippedFor(blocked))
  }

  /** Whether a place is left that was not asked and could be. */
  #anotherPlace(now: number): boolean {
    if (this.made >= this.maxAttempts || this.only !== undefined) return false
    const { health } = this.#world
    const { caller } = this.#attempts
    for (let index = 0; index < this.standings.length; index++) {
      const { asked, barred } = this.standings[index]!
      if (asked > 0 || barred) continue
      if (health.of(this.#candidates[index]!).waitMs(now, caller) === 0) return true
    }
    return false
  }

  /** The head of a stream may be sent without content some time after the last place was asked. */
  #lookAhead(now: number): void {
    const attempts = this.#attempts
    if (this.#input.stream !== true || attempts.headAt < never || this.#anotherPlace(now)) return
    attempts.headAt = now + this.#world.keepAliveMs
  }

  #tellLeftAlone(): void {
    this.#leftAlone?.tell((target, why) => this.#attempts.skipped(target, why))
  }

  #tellFailed(): void {
    const entry = this.#failed?.entry
    if (this.#untold && entry !== undefined) {
      this.#attempts.failed(entry)
      // The request's own record counts the last one.
      if (isTimeout(entry.error)) this.#attempts.discarded(entry, 'abandoned')
    }
    this.#untold = false
  }

  /** What is told of adjustments is the latest call's. */
  #tellAdjusted(call: UpstreamAttempt): void {
    if (call !== this.#latest) this.#attempts.adjusted(call.entry.adjustments)
  }

  #tellUnused({ entry }: UpstreamAttempt): void {
    if (entry.called) this.#attempts.discarded(entry, 'abandoned')
  }
}

function untried(): TargetAttemptState {
  return { asked: 0, barred: false, againAt: undefined }
}
