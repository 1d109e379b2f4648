import type { Caller, HealthCall } from '../../contracts/target-health.ts'

/** Hears what becomes of a call. */
export interface CallListener {
  answered(call: TargetCall, now: number, whole: boolean): void
  ended(call: TargetCall, error: unknown, now: number): void
}

/** One call, of which its keeper hears each thing once. */
export class TargetCall implements HealthCall {
  /** By which its end is judged. */
  generation: number
  readonly beganAt: number
  /** The same request was asked here before. */
  readonly isRepeat: boolean
  readonly caller: Caller
  /** It was let through although its target was left alone, and is no probe. */
  readonly isLastResort: boolean
  /** Its first content has come. */
  hasAnswered = false
  readonly #keeper: CallListener
  #ended = false

  constructor(
    keeper: CallListener,
    generation: number,
    beganAt: number,
    isRepeat: boolean,
    caller: Caller,
    isLastResort: boolean,
  ) {
    this.#keeper = keeper
    this.generation = generation
    this.beganAt = beganAt
    this.isRepeat = isRepeat
    this.caller = caller
    this.isLastResort = isLastResort
  }

  answered(now: number, whole = false): void {
    if (this.hasAnswered || this.#ended) return
    this.hasAnswered = true
    this.#keeper.answered(this, now, whole)
  }

  ended(error: unknown, now: number): void {
    if (this.#ended) return
    this.#ended = true
    this.#keeper.ended(this, error, now)
  }
}
