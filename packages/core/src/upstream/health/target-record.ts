import type { TargetEvent } from '../../events.ts'
import { Breaker, probedMs } from './breaker.ts'
import type { HealthSettings } from './health-settings.ts'
import type { Pauses } from './pause-watch.ts'
import { PeakAverage } from './peak-average.ts'
import { RepeatBudget } from './repeat-budget.ts'
import type { SharedTargetState } from './shared-health.ts'
import { type SharedRecord, SharedTarget } from './shared-target.ts'
import type { Sharing } from './sharing.ts'
import { type CallKeeper, TargetCall } from './target-call.ts'
import type { Blocked, HealthCall, HealthRecord, TargetHealth } from './target-health.ts'
import { verdictOf } from './verdict-of.ts'

type State = TargetHealth['state']

/** What a record is judged by. */
export interface RecordSettings extends Omit<HealthSettings, 'shared'> {
  readonly sharing: Sharing | undefined
}

/** No pause that another process tells of is longer, in milliseconds. */
const longestCoolingMs = 60_000

/**
 * What is known of one target.
 *
 * Nothing but time ends a pause that it asked for: a call that began before says nothing of it, and none begins
 * meanwhile. Of several pauses the longest counts.
 */
export class TargetRecord implements HealthRecord, CallKeeper, SharedRecord {
  readonly #name: Pick<TargetEvent, 'provider' | 'model'>
  readonly #settings: RecordSettings
  readonly #pauses: Pauses
  readonly #breaker = new Breaker()
  readonly #repeats = new RepeatBudget()
  readonly #firstToken = new PeakAverage()
  readonly #whole = new PeakAverage()
  #active = 0
  #coolUntil = 0
  /** Of that, what it asked for itself: the last resort is tried before the rest is over. */
  #pauseUntil = 0
  /** What was told last. `closed`: there is nothing to be looked at before a call. */
  #told: State = 'closed'
  #error: unknown
  #shared: SharedTarget | undefined

  constructor(name: Pick<TargetEvent, 'provider' | 'model'>, settings: RecordSettings, pauses: Pauses) {
    this.#name = name
    this.#settings = settings
    this.#pauses = pauses
  }

  /** Whether something would be forgotten with it. */
  get matters(): boolean {
    return this.inUse || this.#told !== 'closed'
  }

  /** Whether calls or repeats are under way. */
  get inUse(): boolean {
    return this.#active > 0 || this.#repeats.active > 0
  }

  waitMs(now: number): number {
    this.#share()?.touch()
    return this.#told === 'closed' || this.#tell(now) === 'closed' ? 0 : this.#waitMs(now)
  }

  view(now: number): TargetHealth {
    this.#share()?.touch()
    const state = this.#told === 'closed' ? 'closed' : this.#tell(now)
    const waitMs = state === 'closed' ? 0 : this.#waitMs(now)
    const [firstTokenMs, wholeMs] = [this.#firstToken.value(now), this.#whole.value(now)]
    return { active: this.#active, firstTokenMs, wholeMs, state, waitMs }
  }

  lastResortMs(now: number): number {
    return this.#told === 'closed' || this.#tell(now) === 'closed' ? 0 : this.#waitMs(now, true)
  }

  begin(now: number, lastResort = false): HealthCall | Blocked {
    const { retry } = this.#settings
    const shared = this.#share()
    shared?.touch()
    if (this.#told !== 'closed') {
      const state = this.#tell(now)
      if (state !== 'closed') {
        const waitMs = this.#waitMs(now, lastResort)
        if (waitMs > 0) return { state, waitMs }
        if (this.#breaker.state(now) !== 'closed') {
          if (shared?.mayProbe(now) === false) return { state, waitMs: probedMs }
          this.#breaker.probe(now)
          this.#tell(now)
          shared?.probing()
        }
      }
    }
    const isRepeat = retry !== undefined && this.#repeats.began(now, this.#active, retry)
    this.#active++
    this.#pauses.began(now)
    return new TargetCall(this, this.#breaker.generation, now, isRepeat)
  }

  repeat(now: number): (() => void) | undefined {
    const { retry, clock } = this.#settings
    const giveBack = retry && this.#repeats.take(now, this.#active, retry)
    return giveBack && (() => giveBack(clock()))
  }

  answered(call: TargetCall, now: number, whole: boolean): void {
    const average = whole ? this.#whole : this.#firstToken
    average.add(now - call.beganAt, now)
    const { changes } = this.#breaker
    call.generation = this.#breaker.answered(call.generation)
    if (changes !== this.#breaker.changes) this.#share()?.breakerChanged()
    if (this.#told !== 'closed') this.#tell(now)
  }

  ended(call: TargetCall, error: unknown, now: number): void {
    const { breaker, random } = this.#settings
    const { generation } = call
    this.#active--
    if (this.#active === 0) this.#repeats.quiet(now)
    const paused = this.#pauses.ended(call.beganAt, now)
    if (breaker === undefined) return
    const { changes } = this.#breaker
    const verdict = verdictOf(error, call.hasAnswered)
    // One request that no upstream can answer must not open it by being sent again.
    const known = paused || (call.isRepeat && this.#breaker.state(now) === 'closed')
    if (verdict.kind === 'success') this.#breaker.succeeded(generation, now, breaker)
    else if (verdict.kind === 'failure' && !known) this.#breaker.failed(generation, now, breaker, random)
    else if (this.#breaker.letGo(generation)) this.#share()?.letGo()
    const own = 'own' in verdict && verdict.own
    if (changes !== this.#breaker.changes) {
      if (own) this.#share()?.letGo()
      else this.#share()?.breakerChanged()
    }
    if (verdict.kind === 'cooling') {
      this.#coolUntil = Math.max(this.#coolUntil, now + verdict.ms)
      if (verdict.asked) this.#pauseUntil = Math.max(this.#pauseUntil, now + verdict.ms)
      if (!own) this.#share()?.cools(this.#coolUntil)
    }
    if (error === undefined && this.#told === 'closed') return
    if (verdict.kind === 'failure' || verdict.kind === 'cooling') this.#error = error
    this.#tell(now)
  }

  told(now: number): Pick<SharedTargetState, 'openings' | 'openMs' | 'coolingMs'> {
    return {
      openings: this.#breaker.openings,
      openMs: this.#breaker.openMs(now),
      coolingMs: Math.max(0, this.#coolUntil - now),
    }
  }

  adopt({ openings, openMs, coolingMs }: SharedTargetState, breaker: boolean, now: number): void {
    const { breaker: options } = this.#settings
    if (options === undefined) return
    this.#coolUntil = Math.max(this.#coolUntil, now + Math.min(coolingMs, longestCoolingMs))
    this.#pauseUntil = this.#coolUntil
    if (breaker) this.#breaker.adopt(openings, Math.min(openMs, options.maxOpenMs), options, now)
    this.#tell(now)
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
      this.#coolUntil = 0
      this.#pauseUntil = 0
    }
    const state = this.#state(now)
    const error = this.#error
    // Kept no longer than it says something: errors may hold much.
    if (state === 'closed') this.#error = undefined
    if (state === this.#told) return state
    this.#told = state
    this.#settings.changed({
      type: 'target',
      ...this.#name,
      state,
      waitMs: Math.round(this.#waitMs(now)),
      error,
    })
    return state
  }

  #state(now: number): State {
    const state = this.#breaker.state(now)
    return state !== 'open' && now < this.#coolUntil ? 'cooling' : state
  }

  #waitMs(now: number, lastResort = false): number {
    const coolUntil = lastResort ? this.#pauseUntil : this.#coolUntil
    return Math.max(this.#breaker.waitMs(now, lastResort), coolUntil - now, 0)
  }
}
