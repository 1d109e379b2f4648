import type { OpenAttempt } from '../attempt-log.ts'
import type { Timeouts } from '../config.ts'
import { GatewayError } from '../errors.ts'
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
import { UpstreamError, type UpstreamFailure } from '../upstream-error.ts'
import { cleanCause, cleanFailure } from './clean-failure.ts'
import { Credentials } from './credentials.ts'
import { Deadlines } from './deadlines.ts'
import { type Release, type Slots, slotsOf } from './slots.ts'
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
  readonly #controller = new AbortController()
  readonly #deadlines: Deadlines
  readonly #onLifeEnd = (reason: EndReason) => this.#cut(new LifeEnded(reason))
  /** What of the request its failure must not repeat. */
  #asked: Pick<UpstreamRequest, 'url' | 'headers'> = { url: '', headers: {} }
  #leaveQueue: (() => void) | undefined
  #release: Release | undefined
  #reject: ((reason: Error) => void) | undefined

  constructor(lifetime: Lifetime, world: AttemptWorld, totalAt: number, entry: OpenAttempt) {
    this.#lifetime = lifetime
    this.#world = world
    this.#entry = entry
    this.#deadlines = new Deadlines(world.timeouts, totalAt, world.clock, error => this.#cut(error))
  }

  /** Asks the upstream, and tells what was adjusted for it. What it rejects with, `end` has to be called after it. */
  async run(
    provider: Provider,
    input: Call,
    listener: AdjustmentListener,
  ): Promise<PartialCompletion | AsyncIterator<readonly PartialChunk[]>> {
    const { signal } = this.#controller
    this.#lifetime.onEnd(this.#onLifeEnd)
    signal.throwIfAborted()
    this.#deadlines.begin()
    const slots = slotsOf(provider)
    if (slots !== undefined) await this.#outlive(this.#takeSlot(slots))
    // Between what was awaited and this line it may have been cut off: then nothing is asked.
    signal.throwIfAborted()
    const call = { ...input, signal }
    this.#deadlines.writing()
    const request = await this.#write(provider, call)
    signal.throwIfAborted()
    listener.adjusted(memberOf(request, 'adjustments') ?? [])
    this.#asked = { url: request.url, headers: request.headers }
    this.#deadlines.start()
    this.#entry.called = true
    const response = await this.#ask(memberOf(provider, 'transport') ?? this.#world.transport, request)
    this.#deadlines.answered()
    try {
      const reply = await this.#outlive(provider.decode(watched(response, this.#deadlines), call))
      if (reply.kind === 'completion') return await this.#outlive(reply.completion)
      return this.#read(reply.chunks[Symbol.asyncIterator]())
    } catch (error) {
      return this.#fail(error, 'garbled')
    }
  }

  /** Gives everything back. An answer that was not read to its own end is cut off, for a `reason` that may be told. */
  end(completed: boolean, reason?: Error): void {
    this.onCut = undefined
    this.#deadlines.stop()
    this.#lifetime.offEnd(this.#onLifeEnd)
    if (!completed) this.#cut(reason ?? new LifeEnded(this.#lifetime.ended ?? 'client_left'))
    if (this.#leaveQueue !== undefined) {
      this.#leaveQueue()
      this.#entry.dequeue(this.#world.clock())
    }
    this.#release?.()
    this.#release = undefined
  }

  async #write(provider: Provider, call: Call): Promise<EncodedRequest> {
    try {
      const request: unknown = await this.#outlive(provider.encode(call))
      if (isRequest(request)) return request
      throw new TypeError('The provider encoded no request: expected { method, url, headers, body }.')
    } catch (error) {
      const credentials = new Credentials(this.#asked)
      // What was thrown may be `undefined`, which would read as no failure.
      const failure = error ?? new Error('The provider threw nothing.')
      throw isKnown(failure) ? cleanFailure(failure, credentials) : cleanCause(failure, credentials)
    }
  }

  async #ask(transport: Transport, request: UpstreamRequest): Promise<TransportResponse> {
    try {
      return await this.#outlive(transport(request, this.#controller.signal))
    } catch (error) {
      return this.#fail(error, 'unreachable')
    }
  }

  #cut(reason: Error): void {
    this.#controller.abort(reason)
    this.#reject?.(reason)
    this.#reject = undefined
    // Told beside a read that waits: it may have begun before anybody read the answer.
    this.onCut?.(reason)
  }

  /** What a promise comes to, or the reason of the cut if that comes first. One wait at a time. */
  #outlive<T>(promise: T | PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      Promise.resolve(promise).then(
        value => {
          this.#reject = undefined
          resolve(value)
        },
        error => {
          this.#reject = undefined
          reject(error)
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

  #read(chunks: AsyncIterator<readonly PartialChunk[]>): AsyncIterator<readonly PartialChunk[]> {
    return {
      next: async () => {
        this.#controller.signal.throwIfAborted()
        try {
          return await this.#outlive(chunks.next())
        } catch (error) {
          return this.#fail(error, 'garbled')
        }
      },
      return: async () => {
        await chunks.return?.()
        return { done: true, value: undefined }
      },
    }
  }

  /** An aborted call may fail in any words: the reason of the abort is what happened. */
  #fail(error: unknown, kind: UpstreamFailure): never {
    if (this.#controller.signal.aborted) throw this.#controller.signal.reason
    const failure = isKnown(error)
      ? error
      : new UpstreamError('The upstream call failed.', { kind, cause: error })
    throw cleanFailure(failure, new Credentials(this.#asked))
  }
}

/** Whether a transport can be asked for it: else it would fail as if the upstream did. */
function isRequest(value: unknown): value is EncodedRequest {
  if (typeof value !== 'object' || value === null) return false
  const { method, url, headers, body } = value as { readonly [Name in keyof EncodedRequest]: unknown }
  const sendable = body === undefined || typeof body === 'string' || ArrayBuffer.isView(body)
  return isText(method) && isText(url) && typeof headers === 'object' && headers !== null && sendable
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isKnown(error: unknown): error is UpstreamError | GatewayError {
  return UpstreamError.is(error) || GatewayError.is(error)
}
