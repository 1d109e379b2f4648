import type { BreakerOptions, CallOptions, RetryOptions } from '../../contracts/call-options.ts'
import type { TargetEvent } from '../../contracts/events.ts'
import type { ProviderKey } from '../../contracts/provider.ts'
import type { SharedTargetState } from '../../contracts/shared-health.ts'
import type {
  Caller,
  HealthCall,
  HealthRecord,
  KeyUse,
  TargetHealth,
  TargetUnavailable,
} from '../../contracts/target-health.ts'
import { isUnavailableReason, unavailableReason } from '../../errors/unavailable-reason.ts'
import { Availability, type Unavailable } from './availability.ts'
import { Breaker, probedMs } from './breaker.ts'
import { type AttemptClassification, classifyOutcome, cooldownMs } from './classify-outcome.ts'
import { type Cooldown, Cooldowns, maxSharedCooldownMs } from './cooldowns.ts'
import type { Pauses } from './event-loop-stall-monitor.ts'
import { breakerOptionsOf, retryOptionsOf } from './health-options.ts'
import { noCaller } from './principal-caller.ts'
import { PeakAverage } from './recent-values.ts'
import type { RecordSettings } from './record-settings.ts'
import { RetryBudget } from './retry-budget.ts'
import { type ReportedTarget, type SyncedRecord, SyncedTarget } from './synced-target.ts'
import { type CallListener, TargetCall } from './target-call.ts'
import { TargetKeys } from './target-keys.ts'

type State = TargetHealth['state']
type CooldownScope = TargetHealth['scope']

/**
 * The health of one target.
 *
 * A cooldown from `retry-after` ends only with time: the result of an earlier call does not affect it, and no call starts
 * meanwhile. The failures of a single principal count for that principal: see the breaker and the cooldowns.
 */
export class TargetHealthState implements HealthRecord, CallListener, SyncedRecord {
  readonly #name: Pick<TargetEvent, 'provider' | 'model'>
  readonly #settings: RecordSettings
  readonly #stalls: Pauses
  readonly #breaker = new Breaker()
  readonly #retries = new RetryBudget()
  readonly #firstToken = new PeakAverage()
  readonly #whole = new PeakAverage()
  #active = 0
  readonly #cooldowns = new Cooldowns()
  /** The cooldowns from `retry-after` of the target. The last resort respects only these. */
  readonly #pauses = new Cooldowns()
  readonly #keys: TargetKeys | undefined
  readonly #availability: Availability
  /** The state that was reported last. `closed`: a call needs no further check. */
  #reported: State = 'closed'
  #reportedScope: CooldownScope
  /** Since when it has not been closed. */
  #unavailableSince = 0
  #error: unknown
  #shared: SyncedTarget | undefined
  /** The options of the target's latest call, where they differ from those of the gateway. */
  #options: CallOptions | undefined

  /** `keys`: those of its provider, if it has several. */
  constructor(
    name: Pick<TargetEvent, 'provider' | 'model'>,
    settings: RecordSettings,
    pauses: Pauses,
    keys?: readonly ProviderKey[],
  ) {
    this.#name = name
    this.#settings = settings
    this.#stalls = pauses
    this.#keys = keys && new TargetKeys(keys, name, settings, now => this.#report(now))
    this.#availability = new Availability(this.#breaker, this.#cooldowns, this.#pauses, this.#keys)
  }

  get #breakerOptions(): BreakerOptions | undefined {
    return breakerOptionsOf(this.#options, this.#settings.breaker)
  }

  get #retryOptions(): RetryOptions | undefined {
    return retryOptionsOf(this.#options, this.#settings.retry)
  }

  /** Whether dropping it would lose something. */
  get matters(): boolean {
    return this.inUse || this.#reported !== 'closed' || this.#keys?.matters === true
  }

  /** Whether calls or retries are under way. */
  get inUse(): boolean {
    return this.#active > 0 || this.#retries.active > 0
  }

  waitMs(now: number, caller?: Caller): number {
    this.#share()?.touch()
    if (this.#reported === 'closed' || this.#report(now) === 'closed') return 0
    return this.#availability.blockOf(now, caller?.digest)?.waitMs ?? 0
  }

  view(now: number, caller?: Caller): TargetHealth {
    this.#share()?.touch()
    const figures = {
      active: this.#active,
      firstTokenMs: this.#firstToken.value(now),
      responseMs: this.#whole.value(now),
    }
    const known = this.#keys === undefined ? figures : { ...figures, keys: this.#keys.view(now, caller) }
    const isClosed = this.#reported === 'closed' || this.#report(now) === 'closed'
    const hold = isClosed ? undefined : this.#availability.blockOf(now, caller?.digest)
    if (hold === undefined) return { ...known, state: 'closed', waitMs: 0 }
    return {
      ...known,
      ...hold,
      scope: this.#availability.scope(now),
      unavailableMs: now - this.#unavailableSince,
    }
  }

  lastResortMs(now: number, caller: Caller = noCaller): number {
    if (this.#reported === 'closed' || this.#report(now) === 'closed') return 0
    const hold = this.#availability.blockOf(now, caller.digest)
    return hold === undefined || hold.waitMs === 0
      ? 0
      : this.#availability.lastResortMs(now, caller.digest, this.#breakerOptions)
  }

  begin(
    now: number,
    lastResort = false,
    caller: Caller = noCaller,
    keys?: KeyUse,
    options?: CallOptions,
  ): HealthCall | TargetUnavailable {
    this.#options = options
    this.#share()?.touch()
    if (this.#reported === 'closed' || this.#report(now) === 'closed') {
      return this.#begin(now, this.#breaker.generation, caller, keys)
    }
    const hold = this.#availability.blockOf(now, caller.digest)
    if (hold === undefined) {
      const { closed, generation, openGeneration } = this.#breaker
      return this.#begin(now, closed ? generation : openGeneration, caller, keys)
    }
    if (hold.waitMs === 0)
      return this.#share()?.mayProbe(now) === false ? withProbeWait(hold) : this.#probe(now, caller, keys)
    if (!lastResort || this.#availability.lastResortMs(now, caller.digest, this.#breakerOptions) > 0)
      return hold
    return this.#beginLastResort(now, caller, keys)
  }

  acquireRetry(now: number, caller: Caller = noCaller): (() => void) | undefined {
    const { clock } = this.#settings
    const retry = this.#retryOptions
    const release = retry && this.#retries.take(now, this.#active, retry, caller.digest)
    return release && (() => release(clock.monotonic()))
  }

  answered(call: TargetCall, now: number, whole: boolean): void {
    const average = whole ? this.#whole : this.#firstToken
    average.add(now - call.beganAt, now)
    this.#keys?.answered(call, now)
    if (this.#reported === 'closed') return
    const { changes } = this.#breaker
    call.generation = this.#breaker.answered(call.generation, now, this.#witness(call))
    if (changes !== this.#breaker.changes) this.#share()?.breakerChanged()
    this.#cooldowns.lift(call.beganAt)
    this.#report(now)
  }

  ended(call: TargetCall, error: unknown, now: number): void {
    const breaker = this.#breakerOptions
    const { random } = this.#settings
    const { generation } = call
    this.#active--
    if (this.#active === 0) this.#retries.becameIdle(now)
    const paused = this.#stalls.ended(call.beganAt, now)
    const outcome = classifyOutcome(error, call.hasAnswered)
    const classification = this.#keys === undefined ? outcome : this.#keys.failed(call, outcome, error, now)
    if (breaker === undefined) return
    const { changes } = this.#breaker
    // One request that no upstream can answer must not open the breaker by its retries.
    const ignored = paused || (call.isRetry && !this.#breaker.holds(call.caller.digest))
    if (classification.kind === 'success') {
      this.#breaker.succeeded(generation, now, breaker, this.#witness(call))
    } else if (classification.kind === 'failure' && !ignored) {
      const principal = classification.answered ? call.caller.digest : undefined
      const counted = { principal, reason: unavailableReason(error) }
      this.#breaker.failed(generation, now, breaker, random, counted, call.isLastResort)
    } else if (this.#breaker.releaseProbe(generation)) this.#share()?.releaseProbe()
    const own = 'own' in classification && classification.own
    if (changes !== this.#breaker.changes) {
      if (own) this.#share()?.releaseProbe()
      else this.#share()?.breakerChanged()
    }
    if (classification.kind === 'cooldown') {
      const principal = call.caller.digest
      const cooldown = {
        principal,
        until: now + cooldownOf(classification, breaker),
        reason: unavailableReason(error),
        since: now,
      }
      this.#cooldowns.add(cooldown, now)
      if (classification.retryAfter) this.#pauses.add(cooldown, now)
      if (!own) this.#share()?.cooldown(principal, cooldown.until, this.#cooldowns.forAll?.until)
    }
    if (error === undefined && this.#reported === 'closed') return
    if (outcome.kind === 'failure' || outcome.kind === 'cooldown') this.#error = error
    this.#report(now)
  }

  report(now: number): ReportedTarget {
    const { openings, openFor, partial, reason } = this.#breaker
    return {
      breaker: {
        openings,
        openMs: this.#breaker.openMs(now),
        ...(openings > 0 && { partial, reason, ...(openFor !== undefined && { openFor }) }),
      },
      ...this.#cooldowns.shared(now),
    }
  }

  adopt(state: SharedTargetState, breaker: boolean, now: number): void {
    const options = this.#breakerOptions
    if (options === undefined) return
    const { openings, openMs, openFor, partial = false, cooldownMs, pause } = state
    const reason = isUnavailableReason(state.reason) ? state.reason : 'overloaded'
    this.#adoptPause(cooldownMs, undefined, now)
    if (pause !== undefined) this.#adoptPause(pause.ms, pause.principal, now)
    if (breaker) {
      const opening = { openings, openMs: Math.min(openMs, options.maxOpenMs), openFor, partial, reason }
      this.#breaker.adopt(opening, options, now)
    }
    this.#report(now)
  }

  #adoptPause(ms: number, principal: string | undefined, now: number): void {
    if (ms === 0) return
    const until = now + Math.min(ms, maxSharedCooldownMs)
    const cooldown: Cooldown = { principal, until, reason: 'rate_limited', since: now }
    this.#cooldowns.add(cooldown, now)
    this.#pauses.add(cooldown, now)
  }

  #begin(
    now: number,
    generation: number,
    caller: Caller,
    keys: KeyUse | undefined,
    isLastResort = false,
  ): TargetCall {
    const retry = this.#retryOptions
    const isRetry = retry !== undefined && this.#retries.began(now, this.#active, retry)
    this.#active++
    this.#stalls.began(now)
    const key = this.#keys?.choose(now, caller, keys)
    return new TargetCall(this, generation, now, isRetry, caller, isLastResort, key, keys)
  }

  #probe(now: number, caller: Caller, keys: KeyUse | undefined): TargetCall {
    this.#breaker.probe(now)
    this.#report(now)
    this.#share()?.probing()
    return this.#begin(now, this.#breaker.generation, caller, keys)
  }

  #beginLastResort(now: number, caller: Caller, keys: KeyUse | undefined): TargetCall {
    const breaker = this.#breakerOptions
    if (this.#breaker.holds(caller.digest)) {
      if (this.#breaker.answersSome(now, caller.digest, breaker!)) {
        return this.#begin(now, this.#breaker.openGeneration, caller, keys, true)
      }
      this.#breaker.beganWithoutProbe()
    }
    this.#availability.takeLastResort(now, caller.digest)
    return this.#begin(now, this.#breaker.generation, caller, keys, true)
  }

  /** Returns the principal of a call; `undefined` where it does not matter. */
  #witness({ caller }: TargetCall): string | undefined {
    return this.#breaker.closed ? undefined : caller.digest
  }

  #share(): SyncedTarget | undefined {
    const { sharing } = this.#settings
    if (sharing === undefined) return undefined
    if (this.#shared?.sharing !== sharing) {
      const { provider, model } = this.#name
      this.#shared = new SyncedTarget(`${provider}/${model}`, sharing, this)
    }
    return this.#shared
  }

  /** Returns the state, and reports it where it has changed. */
  #report(now: number): State {
    if (this.#breakerOptions === undefined) {
      this.#breaker.close()
      this.#cooldowns.clear()
      this.#pauses.clear()
      this.#keys?.clear(now)
    }
    const hold = this.#availability.blockOf(now)
    const state = hold?.state ?? 'closed'
    const scope = hold && this.#availability.scope(now)
    const error = this.#error
    // Dropped early, as errors may hold much memory.
    if (state === 'closed') this.#error = undefined
    if (state === this.#reported && scope === this.#reportedScope) return state
    if (this.#reported === 'closed') {
      this.#unavailableSince = now
      this.#availability.forgetLastResort()
    }
    if (state === 'open' || state === 'cooldown') this.#availability.delayLastResort(now)
    this.#reported = state
    this.#reportedScope = scope
    this.#settings.changed({
      type: 'target',
      ...this.#name,
      state,
      waitMs: Math.round(hold?.waitMs ?? 0),
      reason: hold?.reason,
      scope,
      unavailableMs: Math.round(now - this.#unavailableSince),
      error,
    })
    return state
  }
}

/** Returns how long a target is not called, in milliseconds: after a 429 without `retry-after`, as its options say. */
function cooldownOf(
  { ms, retryAfter }: Extract<AttemptClassification, { readonly kind: 'cooldown' }>,
  { cooldownMs: own }: BreakerOptions,
): number {
  return !retryAfter && ms === cooldownMs.least ? own : ms
}

/** Returns the block while another call is the probe. */
function withProbeWait(hold: Unavailable): Unavailable {
  return { ...hold, waitMs: probedMs }
}
