import type { Clock } from '../clock/clock.ts'
import type {
  Adjustment,
  Call,
  EncodedRequest,
  PartialChunk,
  PartialCompletion,
  Provider,
  Reply,
} from '../contracts/provider.ts'
import type { Caller } from '../contracts/target-health.ts'
import type { Transport, TransportResponse, UpstreamRequest } from '../contracts/transport.ts'
import { type EndReason, LifeEnded } from '../errors/abort-reasons.ts'
import type { UpstreamFailure } from '../errors/upstream-error.ts'
import type { Lifetime } from '../http/lifetime.ts'
import type { AttemptEntry } from '../observability/attempt-log.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { memberOf } from '../primitives/own-members.ts'
import { beginOf, type Exchange } from '../transports/exchange.ts'
import { AttemptCall, validatedRequest, WatchedChunks } from './attempt-call.ts'
import { type Release, type Slots, slotsOf } from './concurrency-slots.ts'
import { Deadlines, type Timeouts } from './deadlines.ts'
import { noCaller } from './health/principal-caller.ts'
import { callFailure, encodeFailure } from './redact-error.ts'
import { watchResponse } from './watch-response.ts'

/** What one attempt needs from outside. */
export interface AttemptDependencies {
  readonly transport: Transport
  readonly timeouts: Timeouts
  readonly clock: Clock
}

/** What an upstream answers with. */
export type UpstreamReply = PartialCompletion | AsyncIterator<readonly PartialChunk[]>

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
  readonly #caller: Caller
  readonly #world: AttemptDependencies
  readonly #entry: AttemptEntry
  readonly #deadlines: Deadlines
  readonly #onLifeEnd = (reason: EndReason) => this.#cut(new LifeEnded(reason))
  /** Why it was cut off, where it was. */
  #cutFor: Error | undefined
  #controller: AbortController | undefined
  #exchange: Exchange | undefined
  /** What of the request its failure must not repeat. */
  #url = ''
  #headers: UpstreamRequest['headers'] = noHeaders
  /** Who was asked, and what. */
  #asked: { readonly provider: Provider; readonly call: Call } | undefined
  /** The request was given to the transport. */
  #sent = false
  #leaveQueue: (() => void) | undefined
  #release: Release | undefined
  #reject: ((reason: Error) => void) | undefined

  constructor(
    lifetime: Lifetime,
    world: AttemptDependencies,
    totalAt: number,
    entry: AttemptEntry,
    caller: Caller = noCaller,
  ) {
    this.#lifetime = lifetime
    this.#caller = caller
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

  /** `ask`, then `read`. What it rejects with, `end` has to be called after it. */
  async run(provider: Provider, input: Call, listener: AdjustmentListener): Promise<UpstreamReply> {
    let response: TransportResponse
    try {
      response = await this.ask(provider, input, listener)
    } catch (error) {
      throw this.toFailure(error)
    }
    return this.read(response)
  }

  /**
   * Asks the upstream, and tells what was adjusted for it. `toFailure` says what it means that it throws or rejects; `end`
   * has to be called after it.
   */
  ask(provider: Provider, input: Call, listener: AdjustmentListener): Promise<TransportResponse> {
    this.#lifetime.onEnd(this.#onLifeEnd)
    this.#throwIfCut()
    this.#deadlines.begin()
    const slots = slotsOf(provider)
    return slots === undefined
      ? this.#begin(provider, input, listener)
      : this.#outlive(this.#takeSlot(slots)).then(() => this.#begin(provider, input, listener))
  }

  /** What was thrown in place of an answer's head, as it is told. */
  toFailure(error: unknown): unknown {
    return this.#sent ? this.#failure(error, 'unreachable') : error
  }

  /** What an answer says, of which the head is there. Throws and rejects with what is to be told. */
  read(response: TransportResponse): UpstreamReply | Promise<UpstreamReply> {
    const { provider, call } = this.#asked!
    this.#throwIfCut()
    this.#deadlines.answered()
    try {
      const decoded = provider.decode(watchResponse(response, this.#deadlines), call)
      if (isPromise(decoded)) return this.#readLater(decoded)
      return isPromise(completionIn(decoded)) ? this.#readLater(decoded) : this.#answered(decoded)
    } catch (error) {
      throw this.#failure(error, 'garbled')
    }
  }

  async #readLater(decoding: Reply | PromiseLike<Reply>): Promise<UpstreamReply> {
    try {
      const reply = isPromise(decoding) ? await this.#outlive(decoding) : decoding
      const completion = completionIn(reply)
      return isPromise(completion) ? await this.#outlive(completion) : this.#answered(reply)
    } catch (error) {
      throw this.#failure(error, 'garbled')
    }
  }

  #answered(reply: Reply): UpstreamReply {
    if (reply.kind === 'completion') return reply.completion as PartialCompletion
    return new WatchedChunks(this, reply.chunks[Symbol.asyncIterator]())
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
    if (!completed) this.#cut(reason ?? new LifeEnded(this.#lifetime.ended ?? 'client_disconnected'))
    else this.#exchange?.leave()
    if (this.#leaveQueue !== undefined) {
      this.#leaveQueue()
      this.#entry.dequeue(this.#world.clock.monotonic())
    }
    this.#release?.()
    this.#release = undefined
  }

  #begin(provider: Provider, input: Call, listener: AdjustmentListener): Promise<TransportResponse> {
    // Between what was awaited and this line it may have been cut off: then nothing is asked.
    this.#throwIfCut()
    const call = new AttemptCall(input, this)
    this.#asked = { provider, call }
    const written = this.#write(provider, call)
    return isPromise(written)
      ? written.then(request => this.#send(request, provider, call, listener))
      : this.#send(written, provider, call, listener)
  }

  #send(
    request: EncodedRequest,
    provider: Provider,
    call: Call,
    listener: AdjustmentListener,
  ): Promise<TransportResponse> {
    this.#throwIfCut()
    listener.adjusted(memberOf(request, 'adjustments') ?? [])
    this.#url = request.url
    this.#headers = request.headers
    this.#deadlines.start(call.input.stream === true)
    const sent = this.#entry.ask(request, call)
    this.#sent = true
    return this.#exchangeOf(memberOf(provider, 'transport') ?? this.#world.transport, sent)
  }

  #write(provider: Provider, call: Call): EncodedRequest | Promise<EncodedRequest> {
    try {
      const encoded: unknown = provider.encode(call)
      return isPromise(encoded) ? this.#writeLater(encoded) : validatedRequest(encoded)
    } catch (error) {
      throw encodeFailure(error)
    }
  }

  async #writeLater(encoding: PromiseLike<unknown>): Promise<EncodedRequest> {
    this.#deadlines.writing()
    try {
      return validatedRequest(await this.#outlive(encoding))
    } catch (error) {
      throw encodeFailure(error)
    }
  }

  #exchangeOf(transport: Transport, request: UpstreamRequest): Promise<TransportResponse> {
    const begin = beginOf(transport)
    if (begin === undefined) return this.#outlive(transport(request, this.signal))
    this.#exchange = begin(request)
    return this.#exchange.response
  }

  #cut(reason: Error): void {
    if (this.#cutFor === undefined) {
      this.#cutFor = reason
      if (this.#exchange?.sent === false) this.#entry.sent = false
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
    this.#entry.enqueue(this.#world.clock.monotonic())
    return new Promise(resolve => {
      this.#leaveQueue = slots.wait(this.#caller, release => {
        this.#leaveQueue = undefined
        this.#entry.dequeue(this.#world.clock.monotonic())
        this.#release = release
        resolve()
      })
    })
  }

  /** An aborted call may fail in any words: the reason of the abort is what happened. Never throws. */
  #failure(error: unknown, kind: UpstreamFailure): unknown {
    return this.#cutFor ?? callFailure(error, kind, { url: this.#url, headers: this.#headers })
  }
}

const noHeaders: UpstreamRequest['headers'] = {}

/** A provider without types may promise it. */
function completionIn(reply: Reply): PartialCompletion | Promise<PartialCompletion> | undefined {
  return reply.kind === 'completion' ? reply.completion : undefined
}
