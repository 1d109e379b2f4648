import type { Caller, HealthCall, KeyUse } from '../../contracts/target-health.ts'
import type { KeyState } from './key-state.ts'

/** Receives the result of a call. */
export interface CallListener {
  answered(call: TargetCall, now: number, whole: boolean): void
  ended(call: TargetCall, error: unknown, now: number): void
}

/** One call to a target. It reports its first content and its end to the target's health, each once. */
export class TargetCall implements HealthCall {
  /** The generation of the breaker for which its end counts. */
  generation: number
  readonly beganAt: number
  /** Whether it is a retry. */
  readonly isRetry: boolean
  readonly caller: Caller
  /** It was made although its target was unavailable, and is no probe. */
  readonly isLastResort: boolean
  readonly keyState: KeyState | undefined
  /** The use of keys by its request. */
  readonly keys: KeyUse | undefined
  hasOtherKey = false
  /** Its first content has arrived. */
  hasAnswered = false
  readonly #listener: CallListener
  #ended = false

  constructor(
    listener: CallListener,
    generation: number,
    beganAt: number,
    isRetry: boolean,
    caller: Caller,
    isLastResort: boolean,
    keyState?: KeyState,
    keys?: KeyUse,
  ) {
    this.#listener = listener
    this.generation = generation
    this.beganAt = beganAt
    this.isRetry = isRetry
    this.caller = caller
    this.isLastResort = isLastResort
    this.keyState = keyState
    this.keys = keys
  }

  get key(): string | undefined {
    return this.keyState?.id
  }

  answered(now: number, whole = false): void {
    if (this.hasAnswered || this.#ended) return
    this.hasAnswered = true
    this.#listener.answered(this, now, whole)
  }

  ended(error: unknown, now: number): void {
    if (this.#ended) return
    this.#ended = true
    this.#listener.ended(this, error, now)
  }
}
