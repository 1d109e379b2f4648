import type { Clock } from '../../clock/clock.ts'
import type { Adjustment, UnsupportedParameters } from '../../contracts/provider.ts'
import type { HealthCall } from '../../contracts/target-health.ts'
import type { TransportResponse } from '../../contracts/transport.ts'
import { LifeEnded } from '../../errors/abort-reasons.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import type { AttemptEntry } from '../../observability/attempt-log.ts'
import { isPromise } from '../../primitives/is-promise.ts'
import { isStreamed, type UpstreamReply, type UpstreamResult } from '../call-context.ts'
import type { CallRequest } from '../call-request.ts'
import { CompleteReply } from '../complete-reply.ts'
import type { PlannedCall } from '../lazy-call.ts'
import { checkReply } from '../open-call.ts'
import { planCall } from '../plan-call.ts'
import type { ProviderCall } from '../provider-call.ts'
import { type ContentListener, PeekedStream, withoutChoice } from './peeked-stream.ts'

/** Runs attempts. */
export interface AttemptHost {
  readonly clock: Clock
  readonly unsupportedParameters: UnsupportedParameters
  /** How long to wait for a stream's first content, in ms; `undefined`: for as long as it takes. */
  readonly holdMs: number | undefined
}

/** One attempt at one target, from its start to the end of its response. Updates the health of the target. */
export class UpstreamAttempt implements UpstreamResult<UpstreamReply>, ContentListener {
  /** The index of its target on the route. */
  readonly index: number
  readonly entry: AttemptEntry
  failed = false
  failure: unknown
  readonly #call: ProviderCall
  readonly #health: HealthCall
  /** Releases the retry of a target. */
  readonly #releaseRetry: (() => void) | undefined
  readonly #host: AttemptHost
  #outcome: Promise<this> | undefined
  #answer: UpstreamReply | undefined
  #overridden: readonly Adjustment[] = none
  #ended = false

  constructor(
    index: number,
    entry: AttemptEntry,
    call: ProviderCall,
    health: HealthCall,
    releaseRetry: (() => void) | undefined,
    host: AttemptHost,
  ) {
    this.index = index
    this.entry = entry
    this.#call = call
    this.#health = health
    this.#releaseRetry = releaseRetry
    this.#host = host
  }

  /** Calls the target. Called once. */
  start(request: CallRequest): void {
    this.#outcome = this.#run(request)
  }

  /** Resolves with the attempt itself when it has a response or has failed. Call `start` first. */
  get outcome(): Promise<this> {
    return this.#outcome!
  }

  /** The response. Read it only if the attempt has succeeded. */
  get answer(): UpstreamReply {
    return this.#answer!
  }

  /** Whether it failed because of its key, and the request may use another one. */
  get hasOtherKey(): boolean {
    return this.#health.hasOtherKey === true
  }

  contentArrived(): void {
    const now = this.#host.clock.monotonic()
    this.entry.endedAt = now
    this.#health.answered(now)
    this.entry.span?.firstContent()
  }

  onCut(listener: (reason: Error) => void): void {
    this.#call.onCut = listener
  }

  end(completed: boolean, error?: unknown): void {
    this.entry.error = error
    this.#end(completed, completed ? error : (error ?? new LifeEnded('client_disconnected')))
  }

  /** Cancels the call, because its response is not needed. */
  cut(reason: Error): void {
    this.entry.endedAt = this.#host.clock.monotonic()
    this.entry.error = reason
    this.#end(false, reason, reason)
    this.entry.span?.end(reason)
  }

  async #run(given: CallRequest): Promise<this> {
    try {
      const call = this.#callFor(given)
      // Not with `run`: most responses are read synchronously, which saves a promise.
      let head: TransportResponse
      try {
        head = await this.#call.send(this.entry.target.provider, call, this.#overridden)
      } catch (error) {
        throw this.#call.toFailure(error)
      }
      const reading = this.#call.read(head)
      const answer = isPromise(reading) ? await reading : reading
      const streamed = isStreamed(answer)
      if (streamed !== given.stream) throw inOtherForm(streamed)
      if (streamed) {
        const held = new PeekedStream(answer, this)
        await held.hold(this.#host.clock, this.#host.holdMs)
        this.#answer = held
        this.entry.endedAt = this.#host.clock.monotonic()
      } else {
        if (!(answer instanceof CompleteReply)) checkReply(answer, call)
        else if (answer.completion.choices.length === 0) throw withoutChoice()
        const now = this.#host.clock.monotonic()
        this.#health.answered(now, true)
        this.#answer = answer
        this.entry.endedAt = now
      }
    } catch (error) {
      this.failed = true
      this.failure = error
      if (this.#ended) return this
      this.entry.error = error
      this.entry.endedAt = this.#host.clock.monotonic()
      this.#end(false, error)
      this.entry.span?.end(error)
    }
    return this
  }

  #callFor(given: CallRequest): PlannedCall {
    const { target, key } = this.entry
    const { unsupportedParameters } = this.#host
    const { planned, adjustments } = planCall(given, target, { unsupportedParameters, key })
    this.#overridden = adjustments
    return planned
  }

  #end(completed: boolean, error: unknown, reason?: Error): void {
    this.#ended = true
    this.#call.end(completed, reason)
    this.#health.ended(observedError(this.entry, error), this.#host.clock.monotonic())
    this.#releaseRetry?.()
  }
}

const none: readonly Adjustment[] = []

function inOtherForm(streamed: boolean): UpstreamError {
  const got = streamed ? 'a stream' : 'a complete answer'
  return new UpstreamError(`The provider returned ${got}, but the request was for the other.`, {
    kind: 'garbled',
  })
}

/** Returns the error that health counts: a failure before the upstream is called says nothing about it. */
export function observedError({ called }: AttemptEntry, error: unknown): unknown {
  return error !== undefined && !called ? notCalled : error
}

const notCalled = Object.freeze(new Error('The upstream was not called.'))
