import type { OpenAttempt } from '../attempt-log.ts'
import type { Timeouts } from '../config.ts'
import { GatewayError } from '../errors.ts'
import { isPromise } from '../is-promise.ts'
import type { EndReason, Lifetime } from '../lifetime.ts'
import { memberOf } from '../protocol/own-members.ts'
import type {
  Adjustment,
  Call,
  EncodedRequest,
  PartialChunk,
  PartialCompletion,
  Provider,
} from '../provider.ts'
import type { Transport, TransportResponse, UpstreamRequest } from '../transport.ts'
import { beginOf, type Exchange } from '../transports/exchange.ts'
import { UpstreamError, type UpstreamFailure } from '../upstream-error.ts'
import { AttemptCall } from './attempt-call.ts'
import { cleanCause, cleanFailure } from './clean-failure.ts'
import { Credentials } from './credentials.ts'
import { Deadlines } from './deadlines.ts'
import { type Release, type Slots, slotsOf } from './slots.ts'
import { soundRequest } from './sound-request.ts'
import { WatchedChunks } from './watched-chunks.ts'
import { watched } from './watched-response.ts'

/** What one attempt needs from outside. */
export interface AttemptWorld {
  readonly transport: Transport
  readonly timeouts: Timeouts
  /** Monotonic milliseconds. */
  readonly clock: () => number
}

/** Thrown where the request's life ended under way. */
export class LifeEnded extends Error {
  constructor(reason: EndReason) {
    super(reason === 'client_left' ? 'The client left.' : 'The gateway was closed.')
    this.name = 'LifeEnded'
    // Until it is read, an engine's stack holds what it went through: here the request, for as long as a record is kept.
    this.stack = `LifeEnded: ${this.message}`
  }
}

/** Why a call was cut off whose answer is not needed any more: the other one of a hedge was sooner. */
export class AnsweredElsewhere extends Error {
  constructor() {
    super('Another target answered sooner.')
    this.name = 'AnsweredElsewhere'
    // As above.
    this.stack = `AnsweredElsewhere: ${this.message}`
  }
}

/** Hears what was adjusted for a call. */
export interface AdjustmentListener {
  adjusted(adjustments: readonly Adjustment[]): void
}

/**
 * One call to one upstream: its slot, its connection and its deadlines, all given back by `end`, whatever
 * happened. Nothing that it waits for, be it a provider's or a transport's, holds it longer than it lives.
 */
export class Attempt {
  /** Told when the attempt is cut off. */
  onCut: ((reason: Error) => void) | undefined
  readonly #lifetime: Lifetime
  readonly #world: AttemptWorld
  readonly #entry: OpenAttempt
  readonly #deadlines: Deadlines
  readonly #onLifeEnd = (reason: EndReason) => this.#cut(new LifeEnded(reason))
  /** Why it was cut off, where it was. */
  #cutFor: Error | undefined
  #controller: AbortController | undefined
  #exchange: Exchange | undefined
  /** What of the request its failure must not repeat. */
  #url = ''
  #headers: UpstreamRequest['headers'] = noHeaders
  #leaveQueue: (() => void) | undefined
  #release: Release | undefined
  #reject: ((reason: Error) => void) | undefined

  constructor(lifetime: Lifetime, world: AttemptWorld, totalAt: number, entry: OpenAttempt) {
    this.#lifetime = lifetime
    this.#world = world
    this.#entry = entry
    this.#deadlines = new Deadlines(world.timeouts, totalAt, world.clock, error => this.#cut(error))
  }

  /** Aborts when the attempt is cut off. Made when it is first asked for. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#cutFor !== undefined) this.#controller.abort(this.#cutFor)
    }
    return this.#controller.signal
  }

  /** Asks the upstream, and tells what was adjusted for it. What it rejects with, `end` has to be called after it. */
  async run(
    provider: Provider,
    input: Call,
    listener: AdjustmentListener,
  ): Promise<PartialCompletion | AsyncIterator<readonly PartialChunk[]>> {
    this.#lifetime.onEnd(this.#onLifeEnd)
    this.#throwIfCut()
    this.#deadlines.begin()
    const slots = slotsOf(provider)
    if (slots !== undefined) await this.#outlive(this.#takeSlot(slots))
    // Between what was awaited and this line it may have been cut off: then nothing is asked.
    this.#throwIfCut()
    const call = new AttemptCall(input, this)
    const written = this.#write(provider, call)
    const request = isPromise(written) ? await written : written
    this.#throwIfCut()
    listener.adjusted(memberOf(request, 'adjustments') ?? [])
    this.#url = request.url
    this.#headers = request.headers
    this.#deadlines.start()
    const sent = this.#entry.ask(request, call)
    let response: TransportResponse
    try {
      response = await this.#ask(memberOf(provider, 'transport') ?? this.#world.transport, sent)
    } catch (error) {
      throw this.#failure(error, 'unreachable')
    }
    this.#throwIfCut()
    this.#deadlines.answered()
    try {
      const decoded = provider.decode(watched(response, this.#deadlines), call)
      const reply = isPromise(decoded) ? await this.#outlive(decoded) : decoded
      if (reply.kind !== 'completion') return new WatchedChunks(this, reply.chunks[Symbol.asyncIterator]())
      const { completion } = reply
      return isPromise(completion) ? await this.#outlive(completion) : completion
    } catch (error) {
      throw this.#failure(error, 'garbled')
    }
  }

  /** One read of the answer. */
  nextOf(chunks: AsyncIterator<readonly PartialChunk[]>): Promise<IteratorResult<readonly PartialChunk[]>> {
    if (this.#cutFor !== undefined) return Promise.reject(this.#cutFor)
    try {
      return this.#outlive(chunks.next(), 'garbled')
    } catch (error) {
      return Promise.reject(this.#failure(error, 'garbled'))
    }
  }

  /** Gives everything back. An answer that was not read to its own end is cut off, for a `reason` that may be told. */
  end(completed: boolean, reason?: Error): void {
    this.onCut = undefined
    this.#deadlines.stop()
    this.#lifetime.offEnd(this.#onLifeEnd)
    if (!completed) this.#cut(reason ?? new LifeEnded(this.#lifetime.ended ?? 'client_left'))
    else this.#exchange?.leave()
    if (this.#leaveQueue !== undefined) {
      this.#leaveQueue()
      this.#entry.dequeue(this.#world.clock())
    }
    this.#release?.()
    this.#release = undefined
  }

  #write(provider: Provider, call: Call): EncodedRequest | Promise<EncodedRequest> {
    try {
      const encoded: unknown = provider.encode(call)
      return isPromise(encoded) ? this.#writeLater(encoded) : soundRequest(encoded)
    } catch (error) {
      throw this.#unwritten(error)
    }
  }

  async #writeLater(encoding: PromiseLike<unknown>): Promise<EncodedRequest> {
    this.#deadlines.writing()
    try {
      return soundRequest(await this.#outlive(encoding))
    } catch (error) {
      throw this.#unwritten(error)
    }
  }

  #ask(transport: Transport, request: UpstreamRequest): Promise<TransportResponse> {
    const begin = beginOf(transport)
    if (begin === undefined) return this.#outlive(transport(request, this.signal))
    this.#exchange = begin(request)
    return this.#exchange.response
  }

  #cut(reason: Error): void {
    if (this.#cutFor === undefined) {
      this.#cutFor = reason
      this.#exchange?.cut(reason)
      this.#controller?.abort(reason)
    }
    this.#reject?.(reason)
    this.#reject = undefined
    // Told beside a read that waits: it may have begun before anybody read the answer.
    this.onCut?.(reason)
  }

  #throwIfCut(): void {
    if (this.#cutFor !== undefined) throw this.#cutFor
  }

  /** What a promise comes to, or the reason of the cut if that comes first. One wait at a time. */
  #outlive<T>(promise: T | PromiseLike<T>, kind?: UpstreamFailure): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      Promise.resolve(promise).then(
        value => {
          this.#reject = undefined
          resolve(value)
        },
        error => {
          this.#reject = undefined
          reject(kind === undefined ? error : this.#failure(error, kind))
        },
      )
    })
  }

  #takeSlot(slots: Slots): Promise<void> {
    this.#entry.enqueue(this.#world.clock())
    return new Promise(resolve => {
      this.#leaveQueue = slots.wait(release => {
        this.#leaveQueue = undefined
        this.#entry.dequeue(this.#world.clock())
        this.#release = release
        resolve()
      })
    })
  }

  /** What is told of a call that could not be written. */
  #unwritten(error: unknown): unknown {
    const credentials = this.#credentials()
    // What was thrown may be `undefined`, which would read as no failure.
    const failure = error ?? new Error('The provider threw nothing.')
    return isKnown(failure) ? cleanFailure(failure, credentials) : cleanCause(failure, credentials)
  }

  /** An aborted call may fail in any words: the reason of the abort is what happened. Never throws. */
  #failure(error: unknown, kind: UpstreamFailure): unknown {
    if (this.#cutFor !== undefined) return this.#cutFor
    try {
      const failure = isKnown(error)
        ? error
        : new UpstreamError('The upstream call failed.', { kind, cause: error })
      return cleanFailure(failure, this.#credentials())
    } catch (thrown) {
      // An error of a user's making may fail as it is looked at.
      return thrown
    }
  }

  #credentials(): Credentials {
    return new Credentials({ url: this.#url, headers: this.#headers })
  }
}

const noHeaders: UpstreamRequest['headers'] = {}

function isKnown(error: unknown): error is UpstreamError | GatewayError {
  return UpstreamError.is(error) || GatewayError.is(error)
}
