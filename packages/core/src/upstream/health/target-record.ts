import type { TargetEvent } from '../../contracts/events.ts'
import type { SharedTargetState } from '../../contracts/shared-health.ts'
import type {
  Blocked,
  Caller,
  HealthCall,
  HealthRecord,
  TargetHealth,
} from '../../contracts/target-health.ts'
import {
  isUnavailableReason,
  type UnavailableReason,
  unavailableReason,
} from '../../errors/unavailable-reason.ts'
import { Breaker, probedMs } from './breaker.ts'
import { type Cooldown, Cooldowns, isOfAccount } from './cooldowns.ts'
import type { HealthSettings } from './health-settings.ts'
import type { Pauses } from './pause-watch.ts'
import { PeakAverage } from './peak-average.ts'
import { noCaller } from './principal-caller.ts'
import { RepeatBudget } from './repeat-budget.ts'
import { type SharedRecord, SharedTarget, type ToldTarget } from './shared-target.ts'
import type { Sharing } from './sharing.ts'
import { type CallKeeper, TargetCall } from './target-call.ts'
import { verdictOf } from './verdict-of.ts'

type State = TargetHealth['state']
type Scope = TargetHealth['scope']

/** Why a principal leaves it alone. */
interface Hold extends Blocked {
  readonly reason: UnavailableReason
}

/** What a record is judged by. */
export interface RecordSettings extends Omit<HealthSettings, 'shared'> {
  readonly sharing: Sharing | undefined
}

/**
 * How often a target that is left alone is asked all the same by those who have nowhere else to go, in milliseconds. Whoever
 * was let through last waits for twice as long, so that nobody takes every turn.
 */
const lastResortEveryMs = 1_000

/** No pause that another process tells of is longer, in milliseconds. */
const longestCoolingMs = 60_000

/**
 * What is known of one target.
 *
 * Nothing but time ends a pause that it asked for: a call that began before says nothing of it, and none begins
 * meanwhile. What a single principal sees counts for that one: see the breaker and the cooldowns.
 */
export class TargetRecord implements HealthRecord, CallKeeper, SharedRecord {
  readonly #name: Pick<TargetEvent, 'provider' | 'model'>
  readonly #settings: RecordSettings
  readonly #stalls: Pauses
  readonly #breaker = new Breaker()
  readonly #repeats = new RepeatBudget()
  readonly #firstToken = new PeakAverage()
  readonly #whole = new PeakAverage()
  #active = 0
  readonly #cooldowns = new Cooldowns()
  /** Of those, the ones that it asked for itself: the last resort is tried before the rest is over. */
  readonly #pauses = new Cooldowns()
  /** What was told last. `closed`: there is nothing to be looked at before a call. */
  #told: State = 'closed'
  #toldScope: Scope
  /** Since when it has not been closed. */
  #unavailableSince = 0
  /** When it may be asked next as the last resort, and who was let through last. */
  #lastResortAt = 0
  #lastResortBy: string | undefined
  #error: unknown
  #shared: SharedTarget | undefined

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
    return this.#holdOn(now, caller?.digest)?.waitMs ?? 0
  }

  view(now: number, caller?: Caller): TargetHealth {
    this.#share()?.touch()
    const known = {
      active: this.#active,
      firstTokenMs: this.#firstToken.value(now),
      wholeMs: this.#whole.value(now),
    }
    const isClosed = this.#told === 'closed' || this.#tell(now) === 'closed'
    const hold = isClosed ? undefined : this.#holdOn(now, caller?.digest)
    if (hold === undefined) return { ...known, state: 'closed', waitMs: 0 }
    return { ...known, ...hold, scope: this.#scope(now), unavailableMs: now - this.#unavailableSince }
  }

  lastResortMs(now: number, caller: Caller = noCaller): number {
    if (this.#told === 'closed' || this.#tell(now) === 'closed') return 0
    const hold = this.#holdOn(now, caller.digest)
    return hold === undefined || hold.waitMs === 0 ? 0 : this.#lastResortMs(now, caller.digest)
  }

  begin(now: number, lastResort = false, caller: Caller = noCaller): HealthCall | Blocked {
    this.#share()?.touch()
    if (this.#told === 'closed' || this.#tell(now) === 'closed') {
      return this.#begin(now, this.#breaker.generation, caller)
    }
    const hold = this.#holdOn(now, caller.digest)
    if (hold === undefined) {
      const { closed, generation, openGeneration } = this.#breaker
      return this.#begin(now, closed ? generation : openGeneration, caller)
    }
    if (hold.waitMs === 0)
      return this.#share()?.mayProbe(now) === false ? probed(hold) : this.#probe(now, caller)
    if (!lastResort || this.#lastResortMs(now, caller.digest) > 0) return hold
    return this.#beginLastResort(now, caller)
  }

  repeat(now: number, caller: Caller = noCaller): (() => void) | undefined {
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
    const verdict = verdictOf(error, call.hasAnswered)
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
    if (verdict.kind === 'cooling') {
      const principal = call.caller.digest
      const cooldown = { principal, until: now + verdict.ms, reason: unavailableReason(error), since: now }
      this.#cooldowns.add(cooldown, now)
      if (verdict.asked) this.#pauses.add(cooldown, now)
      if (!own) this.#share()?.cools(principal, cooldown.until, this.#cooldowns.forAll?.until)
    }
    if (error === undefined && this.#told === 'closed') return
    if (verdict.kind === 'failure' || verdict.kind === 'cooling') this.#error = error
    this.#tell(now)
  }

  told(now: number): ToldTarget {
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
      coolingMs: longest?.principal === undefined ? ms : wait(forAll?.until, forAll?.reason),
      pause: longest?.principal === undefined || ms === 0 ? undefined : { principal: longest.principal, ms },
    }
  }

  adopt(state: SharedTargetState, breaker: boolean, now: number): void {
    const { breaker: options } = this.#settings
    if (options === undefined) return
    const { openings, openMs, openFor, partial = false, coolingMs, pause } = state
    const reason = isUnavailableReason(state.reason) ? state.reason : 'overloaded'
    this.#adoptPause(coolingMs, undefined, now)
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
    this.#lastResortAt = now + lastResortEveryMs
    this.#lastResortBy = caller.digest
    return this.#begin(now, this.#breaker.generation, caller, true)
  }

  /** Who saw what a call came to; `undefined` where that does not matter. */
  #witness({ caller }: TargetCall): string | undefined {
    return this.#breaker.closed ? undefined : caller.digest
  }

  #share(): SharedTarget | undefined {
    const { sharing } = this.#settings
    if (sharing === undefined) return undefined
    if (this.#shared?.sharing !== sharing) {
      const { provider, model } = this.#name
      this.#shared = new SharedTarget(`${provider}/${model}`, sharing, this)
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
    const hold = this.#holdOn(now)
    const state = hold?.state ?? 'closed'
    const scope = hold && this.#scope(now)
    const error = this.#error
    // Kept no longer than it says something: errors may hold much.
    if (state === 'closed') this.#error = undefined
    if (state === this.#told && scope === this.#toldScope) return state
    if (this.#told === 'closed') {
      this.#unavailableSince = now
      this.#lastResortBy = undefined
    }
    if (state === 'open' || state === 'cooling') this.#lastResortAt = now + lastResortEveryMs
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

  /** Why, and for how long, a principal leaves it alone; without one, any. */
  #holdOn(now: number, principal?: string): Hold | undefined {
    const cooldown = this.#cooldowns.of(principal)
    const coolingMs = this.#cooldowns.waitMs(now, principal)
    if (!this.#breaker.holds(principal)) {
      return coolingMs > 0 ? { state: 'cooling', waitMs: coolingMs, reason: cooldown!.reason } : undefined
    }
    const openMs = this.#breaker.waitMs(now, principal)
    const waitMs = Math.max(openMs, coolingMs)
    const state = this.#breaker.state(now)
    const isOpen = state === 'open' && openMs > 0
    if (!isOpen && coolingMs > 0) return { state: 'cooling', waitMs, reason: cooldown!.reason }
    return { state: isOpen ? 'open' : 'half_open', waitMs, reason: this.#breaker.reason }
  }

  /** Whether all leave it alone. Only where somebody does. */
  #scope(now: number): 'all' | 'principal' {
    const { closed, openFor } = this.#breaker
    if (!closed && openFor === undefined) return 'all'
    const { longest, forAll } = this.#cooldowns
    const isForAll = longest?.principal === undefined ? longest : forAll
    return isForAll !== undefined && now < isForAll.until ? 'all' : 'principal'
  }

  /** When a principal that it is left alone by may ask it as the last resort, in milliseconds; 0: now. */
  #lastResortMs(now: number, principal: string): number {
    const { breaker } = this.#settings
    const pauseMs = this.#pauses.waitMs(now, principal)
    const holds = this.#breaker.holds(principal)
    if (holds && this.#breaker.answersSome(now, principal, breaker!)) return pauseMs
    if (holds && this.#breaker.isProbed(now)) return Math.max(pauseMs, probedMs)
    const cooldown = this.#cooldowns.of(principal)
    if (!holds && cooldown !== undefined && !isOfAccount(cooldown.reason)) return pauseMs
    const again = principal === this.#lastResortBy ? lastResortEveryMs : 0
    return Math.max(pauseMs, this.#lastResortAt + again - now, 0)
  }
}

/** Another call finds out. */
function probed(hold: Hold): Hold {
  return { ...hold, waitMs: probedMs }
}
