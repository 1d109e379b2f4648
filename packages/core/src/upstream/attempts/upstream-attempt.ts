import type { Clock } from '../../clock/clock.ts'
import type { Adjustment, Call, PartialCompletion, UnsupportedParameters } from '../../contracts/provider.ts'
import type { HealthCall } from '../../contracts/target-health.ts'
import type { TransportResponse } from '../../contracts/transport.ts'
import { LifeEnded } from '../../errors/abort-reasons.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import type { AttemptEntry } from '../../observability/attempt-log.ts'
import { isPromise } from '../../primitives/is-promise.ts'
import type { ChatRequest } from '../../protocol/chat.ts'
import { overrideInput } from '../../validation/overridden-input.ts'
import type { AdjustmentListener, Attempt } from '../attempt.ts'
import type { UpstreamResult } from '../call-context.ts'
import { type ChunkSource, type ContentListener, PeekedStream, withoutChoice } from './peeked-stream.ts'

/** What an upstream answers with. */
export type Answered = PartialCompletion | ChunkSource

/** What a call belongs to. */
export interface AttemptHost {
  readonly clock: Clock
  readonly unsupportedParameters: UnsupportedParameters
  /** How long a stream's first content may be awaited now; `undefined`: for as long as it takes. */
  readonly holdMs: number | undefined
  /** Told of what was adjusted for a call that begins. */
  adjusted(adjustments: readonly Adjustment[]): void
}

/** One call to one place, from its beginning to the end of its answer. */
export class UpstreamAttempt implements UpstreamResult<Answered>, AdjustmentListener, ContentListener {
  /** The place among the request's. */
  readonly index: number
  readonly entry: AttemptEntry
  /** Resolves with the call itself when it answers or has failed. */
  readonly outcome: Promise<this>
  failed = false
  failure: unknown
  readonly #attempt: Attempt
  readonly #health: HealthCall
  /** Gives back the leave to ask the same place again. */
  readonly #giveBack: (() => void) | undefined
  readonly #owner: AttemptHost
  #answer: Answered | undefined
  #own: readonly Adjustment[] = none
  #ended = false

  constructor(
    index: number,
    entry: AttemptEntry,
    attempt: Attempt,
    health: HealthCall,
    giveBack: (() => void) | undefined,
    owner: AttemptHost,
    input: ChatRequest,
  ) {
    this.index = index
    this.entry = entry
    this.#attempt = attempt
    this.#health = health
    this.#giveBack = giveBack
    this.#owner = owner
    this.outcome = this.#run(input)
  }

  /** Only of a call that answers. */
  get answer(): Answered {
    return this.#answer!
  }

  adjusted(adjustments: readonly Adjustment[]): void {
    const all = this.#own.length === 0 ? adjustments : [...this.#own, ...adjustments]
    this.entry.adjustments = all
    this.#owner.adjusted(all)
  }

  contentCame(): void {
    const now = this.#owner.clock.monotonic()
    this.entry.endedAt = now
    this.#health.answered(now)
    this.entry.span?.firstContent()
  }

  onCut(listener: (reason: Error) => void): void {
    this.#attempt.onCut = listener
  }

  end(completed: boolean, error?: unknown): void {
    this.entry.error = error
    this.#end(completed, completed ? error : (error ?? new LifeEnded('client_disconnected')))
  }

  /** Cuts the call off: its answer is not needed. */
  cut(reason: Error): void {
    this.entry.endedAt = this.#owner.clock.monotonic()
    this.entry.error = reason
    this.#end(false, reason, reason)
    this.entry.span?.end(reason)
  }

  async #run(given: ChatRequest): Promise<this> {
    try {
      const call = this.#callFor(given)
      // Not by `run`: nearly every answer is read at once, and each promise less counts.
      let head: TransportResponse
      try {
        head = await this.#attempt.ask(this.entry.target.provider, call, this)
      } catch (error) {
        throw this.#attempt.toFailure(error)
      }
      const reading = this.#attempt.read(head)
      const answer = isPromise(reading) ? await reading : reading
      const streamed = isIterator(answer)
      if (streamed !== (call.input.stream === true)) throw inOtherForm(streamed)
      if (streamed) {
        const held = new PeekedStream(answer, this)
        await held.hold(this.#owner.clock, this.#owner.holdMs)
        this.#answer = held
        this.entry.endedAt = this.#owner.clock.monotonic()
      } else {
        if (answer.choices.length === 0) throw withoutChoice()
        const now = this.#owner.clock.monotonic()
        this.#health.answered(now, true)
        this.#answer = answer
        this.entry.endedAt = now
      }
    } catch (error) {
      this.failed = true
      this.failure = error
      if (this.#ended) return this
      this.entry.error = error
      this.entry.endedAt = this.#owner.clock.monotonic()
      this.#end(false, error)
      this.entry.span?.end(error)
    }
    return this
  }

  #callFor(given: ChatRequest): Call {
    const { model, capabilities, parameters } = this.entry.target
    const { unsupportedParameters } = this.#owner
    let input = given
    if (parameters !== undefined) {
      const overridden = overrideInput(given, parameters)
      input = overridden.input
      this.#own = overridden.adjustments
    }
    return capabilities
      ? { input, model, unsupportedParameters, capabilities }
      : { input, model, unsupportedParameters }
  }

  #end(completed: boolean, error: unknown, reason?: Error): void {
    this.#ended = true
    this.#attempt.end(completed, reason)
    this.#health.ended(observedError(this.entry, error), this.#owner.clock.monotonic())
    this.#giveBack?.()
  }
}

const none: readonly Adjustment[] = []

function inOtherForm(streamed: boolean): UpstreamError {
  const got = streamed ? 'a stream' : 'a whole answer'
  return new UpstreamError(`The provider made ${got} of the answer, which was not asked for.`, {
    kind: 'garbled',
  })
}

/** What health hears of a call's end: what goes wrong before an upstream is asked says nothing of it. */
export function observedError({ called }: AttemptEntry, error: unknown): unknown {
  return error !== undefined && !called ? notAsked : error
}

const notAsked = Object.freeze(new Error('It was not asked.'))

/** Whether an upstream streams its answer. */
export function isIterator(answer: Answered): answer is ChunkSource {
  return 'next' in answer && typeof answer.next === 'function'
}
