import type { TargetEvent } from '../../contracts/events.ts'
import type { SharedTargetState } from '../../contracts/shared-health.ts'
import type {
  Caller,
  HealthCall,
  HealthRecord,
  TargetHealth,
  TargetUnavailable,
} from '../../contracts/target-health.ts'
import {
  isUnavailableReason,
  type UnavailableReason,
  unavailableReason,
} from '../../errors/unavailable-reason.ts'
import { Availability, type Unavailable } from './availability.ts'
import { Breaker, probedMs } from './breaker.ts'
import { classifyOutcome } from './classify-outcome.ts'
import { type Cooldown, Cooldowns } from './cooldowns.ts'
import type { Pauses } from './event-loop-stall-monitor.ts'
import type { HealthSettings } from './health-options.ts'
import type { HealthSync } from './health-sync.ts'
import { noCaller } from './principal-caller.ts'
import { PeakAverage } from './recent-values.ts'
import { RetryBudget } from './retry-budget.ts'
import { type ReportedTarget, type SyncedRecord, SyncedTarget } from './synced-target.ts'
import { type CallListener, TargetCall } from './target-call.ts'

type State = TargetHealth['state']
type CooldownScope = TargetHealth['scope']

/** What a record is judged by. */
export interface RecordSettings extends Omit<HealthSettings, 'shared'> {
  readonly sharing: HealthSync | undefined
}

/** No pause that another process tells of is longer, in milliseconds. */
const longestCoolingMs = 60_000

/**
 * What is known of one target.
 *
 * Nothing but time ends a pause that it asked for: a call that began before says nothing of it, and none begins
 * meanwhile. What a single principal sees counts for that one: see the breaker and the cooldowns.
 */
export class TargetHealthState implements HealthRecord, CallListener, SyncedRecord {
  readonly #name: Pick<TargetEvent, 'provider' | 'model'>
  readonly #settings: RecordSettings
  readonly #stalls: Pauses
  readonly #breaker = new Breaker()
  readonly #repeats = new RetryBudget()
  readonly #firstToken = new PeakAverage()
  readonly #whole = new PeakAverage()
  #active = 0
  readonly #cooldowns = new Cooldowns()
  /** Of those, the ones that it asked for itself: the last resort is tried before the rest is over. */
  readonly #pauses = new Cooldowns()
  readonly #availability = new Availability(this.#breaker, this.#cooldowns, this.#pauses)
  /** What was told last. `closed`: there is nothing to be looked at before a call. */
  #told: State = 'closed'
  #toldScope: CooldownScope
  /** Since when it has not been closed. */
  #unavailableSince = 0
  #error: unknown
  #shared: SyncedTarget | undefined

  constructor(name: Pick<TargetEvent, 'provider' | 'model'>, settings: RecordSettings, pauses: Pauses) {
    this.#name = name
    this.#settings = settings
    this.#stalls = pauses
  }

  /** Whether something would be forgotten with it. */
  get matters(): boolean {
    return this.inUse || this.#told !== 'closed'
  }

  /** Whether calls or repeats are under way. */
  get inUse(): boolean {
    return this.#active > 0 || this.#repeats.active > 0
  }

  waitMs(now: number, caller?: Caller): number {
    this.#share()?.touch()
    if (this.#told === 'closed' || this.#tell(now) === 'closed') return 0
    return this.#availability.blockOf(now, caller?.digest)?.waitMs ?? 0
  }

  view(now: number, caller?: Caller): TargetHealth {
    this.#share()?.touch()
    const known = {
      active: this.#active,
      firstTokenMs: this.#firstToken.value(now),
      responseMs: this.#whole.value(now),
    }
    const isClosed = this.#told === 'closed' || this.#tell(now) === 'closed'
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
    if (this.#told === 'closed' || this.#tell(now) === 'closed') return 0
    const hold = this.#availability.blockOf(now, caller.digest)
    return hold === undefined || hold.waitMs === 0
      ? 0
      : this.#availability.lastResortMs(now, caller.digest, this.#settings.breaker)
  }

  begin(now: number, lastResort = false, caller: Caller = noCaller): HealthCall | TargetUnavailable {
    this.#share()?.touch()
    if (this.#told === 'closed' || this.#tell(now) === 'closed') {
      return this.#begin(now, this.#breaker.generation, caller)
    }
    const hold = this.#availability.blockOf(now, caller.digest)
    if (hold === undefined) {
      const { closed, generation, openGeneration } = this.#breaker
      return this.#begin(now, closed ? generation : openGeneration, caller)
    }
    if (hold.waitMs === 0)
      return this.#share()?.mayProbe(now) === false ? probed(hold) : this.#probe(now, caller)
    if (!lastResort || this.#availability.lastResortMs(now, caller.digest, this.#settings.breaker) > 0)
      return hold
    return this.#beginLastResort(now, caller)
  }

  acquireRetry(now: number, caller: Caller = noCaller): (() => void) | undefined {
    const { retry, clock } = this.#settings
    const giveBack = retry && this.#repeats.take(now, this.#active, retry, caller.digest)
    return giveBack && (() => giveBack(clock.monotonic()))
  }

  answered(call: TargetCall, now: number, whole: boolean): void {
    const average = whole ? this.#whole : this.#firstToken
    average.add(now - call.beganAt, now)
    if (this.#told === 'closed') return
    const { changes } = this.#breaker
    call.generation = this.#breaker.answered(call.generation, now, this.#witness(call))
    if (changes !== this.#breaker.changes) this.#share()?.breakerChanged()
    this.#cooldowns.lift(call.beganAt)
    this.#tell(now)
  }

  ended(call: TargetCall, error: unknown, now: number): void {
    const { breaker, random } = this.#settings
    const { generation } = call
    this.#active--
    if (this.#active === 0) this.#repeats.quiet(now)
    const paused = this.#stalls.ended(call.beganAt, now)
    if (breaker === undefined) return
    const { changes } = this.#breaker
    const verdict = classifyOutcome(error, call.hasAnswered)
    // One request that no upstream can answer must not open it by being sent again.
    const known = paused || (call.isRepeat && !this.#breaker.holds(call.caller.digest))
    if (verdict.kind === 'success') {
      this.#breaker.succeeded(generation, now, breaker, this.#witness(call))
    } else if (verdict.kind === 'failure' && !known) {
      const principal = verdict.answered ? call.caller.digest : undefined
      const counted = { principal, reason: unavailableReason(error) }
      this.#breaker.failed(generation, now, breaker, random, counted, call.isLastResort)
    } else if (this.#breaker.letGo(generation)) this.#share()?.letGo()
    const own = 'own' in verdict && verdict.own
    if (changes !== this.#breaker.changes) {
      if (own) this.#share()?.letGo()
      else this.#share()?.breakerChanged()
    }
    if (verdict.kind === 'cooldown') {
      const principal = call.caller.digest
      const cooldown = { principal, until: now + verdict.ms, reason: unavailableReason(error), since: now }
      this.#cooldowns.add(cooldown, now)
      if (verdict.asked) this.#pauses.add(cooldown, now)
      if (!own) this.#share()?.cools(principal, cooldown.until, this.#cooldowns.forAll?.until)
    }
    if (error === undefined && this.#told === 'closed') return
    if (verdict.kind === 'failure' || verdict.kind === 'cooldown') this.#error = error
    this.#tell(now)
  }

  told(now: number): ReportedTarget {
    const { openings, openFor, partial, reason } = this.#breaker
    const { longest, forAll } = this.#cooldowns
    const wait = (until = 0, of?: UnavailableReason) => (of === 'rate_limited' ? Math.max(0, until - now) : 0)
    const ms = wait(longest?.until, longest?.reason)
    return {
      breaker: {
        openings,
        openMs: this.#breaker.openMs(now),
        ...(openings > 0 && { partial, reason, ...(openFor !== undefined && { openFor }) }),
      },
      cooldownMs: longest?.principal === undefined ? ms : wait(forAll?.until, forAll?.reason),
      pause: longest?.principal === undefined || ms === 0 ? undefined : { principal: longest.principal, ms },
    }
  }

  adopt(state: SharedTargetState, breaker: boolean, now: number): void {
    const { breaker: options } = this.#settings
    if (options === undefined) return
    const { openings, openMs, openFor, partial = false, cooldownMs, pause } = state
    const reason = isUnavailableReason(state.reason) ? state.reason : 'overloaded'
    this.#adoptPause(cooldownMs, undefined, now)
    if (pause !== undefined) this.#adoptPause(pause.ms, pause.principal, now)
    if (breaker) {
      const opening = { openings, openMs: Math.min(openMs, options.maxOpenMs), openFor, partial, reason }
      this.#breaker.adopt(opening, options, now)
    }
    this.#tell(now)
  }

  #adoptPause(ms: number, principal: string | undefined, now: number): void {
    if (ms === 0) return
    const until = now + Math.min(ms, longestCoolingMs)
    const cooldown: Cooldown = { principal, until, reason: 'rate_limited', since: now }
    this.#cooldowns.add(cooldown, now)
    this.#pauses.add(cooldown, now)
  }

  #begin(now: number, generation: number, caller: Caller, isLastResort = false): TargetCall {
    const { retry } = this.#settings
    const isRepeat = retry !== undefined && this.#repeats.began(now, this.#active, retry)
    this.#active++
    this.#stalls.began(now)
    return new TargetCall(this, generation, now, isRepeat, caller, isLastResort)
  }

  #probe(now: number, caller: Caller): TargetCall {
    this.#breaker.probe(now)
    this.#tell(now)
    this.#share()?.probing()
    return this.#begin(now, this.#breaker.generation, caller)
  }

  #beginLastResort(now: number, caller: Caller): TargetCall {
    const { breaker } = this.#settings
    if (this.#breaker.holds(caller.digest)) {
      if (this.#breaker.answersSome(now, caller.digest, breaker!)) {
        return this.#begin(now, this.#breaker.openGeneration, caller, true)
      }
      this.#breaker.beside()
    }
    this.#availability.takeLastResort(now, caller.digest)
    return this.#begin(now, this.#breaker.generation, caller, true)
  }

  /** Who saw what a call came to; `undefined` where that does not matter. */
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

  /** Tells of a state that is another than before. */
  #tell(now: number): State {
    if (this.#settings.breaker === undefined) {
      this.#breaker.close()
      this.#cooldowns.clear()
      this.#pauses.clear()
    }
    const hold = this.#availability.blockOf(now)
    const state = hold?.state ?? 'closed'
    const scope = hold && this.#availability.scope(now)
    const error = this.#error
    // Kept no longer than it says something: errors may hold much.
    if (state === 'closed') this.#error = undefined
    if (state === this.#told && scope === this.#toldScope) return state
    if (this.#told === 'closed') {
      this.#unavailableSince = now
      this.#availability.forgetLastResort()
    }
    if (state === 'open' || state === 'cooldown') this.#availability.delayLastResort(now)
    this.#told = state
    this.#toldScope = scope
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

/** Another call finds out. */
function probed(hold: Unavailable): Unavailable {
  return { ...hold, waitMs: probedMs }
}
