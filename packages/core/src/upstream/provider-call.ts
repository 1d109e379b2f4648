import type { SlotQueue } from '../contracts/process-stores.ts'
import type {
  Adjustment,
  ChunkBatch,
  EncodedNativeRequest,
  PartialCompletion,
  Provider,
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
import { isListed, withOneBody } from '../transports/listed-body.ts'
import type { AttemptObserver, ChunkSource, ProviderCallDependencies, UpstreamReply } from './call-context.ts'
import { CompleteReply } from './complete-reply.ts'
import { type Release, slotsOf } from './concurrency-slots.ts'
import { Deadlines } from './deadlines.ts'
import { noCaller } from './health/principal-caller.ts'
import type { PlannedCall } from './lazy-call.ts'
import { type Decoded, type OpenCall, openCall } from './open-call.ts'
import { callFailure, encodeFailure } from './redact-error.ts'
import { maxVectorBytes, watchResponse } from './watch-response.ts'

type AdjustmentObserver = Pick<AttemptObserver, 'adjusted'>

/**
 * One call to one provider: its slot, its connection and its deadlines. `end` releases all of them in every case, so no
 * provider or transport keeps it alive. It is also the iterator of a streamed response.
 */
export class ProviderCall implements ChunkSource {
  /** Called when the call is cut off. */
  onCut: ((reason: Error) => void) | undefined
  readonly #lifetime: Lifetime
  readonly #caller: Caller
  readonly #dependencies: ProviderCallDependencies
  readonly #entry: AttemptEntry
  readonly #observer: AdjustmentObserver | undefined
  readonly #deadlines: Deadlines
  readonly #onLifeEnd = (reason: EndReason) => this.#cut(new LifeEnded(reason))
  /** Why it was cut off. */
  #cutFor: Error | undefined
  #controller: AbortController | undefined
  #exchange: Exchange | undefined
  /** What an error must not contain of the request. */
  #url = ''
  #headers: UpstreamRequest['headers'] = noHeaders
  #called: OpenCall | undefined
  /** Whether the transport has the request. */
  #sent = false
  #leaveQueue: (() => void) | undefined
  #release: Release | undefined
  #reject: ((reason: Error) => void) | undefined
  /** The chunks of a streamed response. */
  #chunks: ChunkSource | undefined
  /** Whether the chunks of a streamed response come with the vendor's own events, in the caller's dialect. */
  native = false

  /** `totalAt` is the deadline of the request in monotonic milliseconds. `observer` receives the adjustments. */
  constructor(
    lifetime: Lifetime,
    dependencies: ProviderCallDependencies,
    totalAt: number,
    entry: AttemptEntry,
    caller: Caller = noCaller,
    observer?: AdjustmentObserver,
  ) {
    this.#lifetime = lifetime
    this.#caller = caller
    this.#dependencies = dependencies
    this.#entry = entry
    this.#observer = observer
    this.#deadlines = new Deadlines(dependencies.timeouts, totalAt, dependencies.clock, error =>
      this.#cut(error),
    )
  }

  /** Aborts when the call is cut off. Created when it is first read. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#cutFor !== undefined) this.#controller.abort(this.#cutFor)
    }
    return this.#controller.signal
  }

  /** Calls `send`, then `read`. Call `end` afterwards, even if it rejects. */
  async run(provider: Provider, planned: PlannedCall): Promise<UpstreamReply> {
    let response: TransportResponse
    try {
      response = await this.send(provider, planned)
    } catch (error) {
      throw this.toFailure(error)
    }
    return this.read(response)
  }

  /**
   * Sends the request, and resolves with the head of the response. `toFailure` converts what it throws or rejects with;
   * call `end` afterwards. `overridden` are the adjustments that were made to the request beforehand.
   */
  send(
    provider: Provider,
    planned: PlannedCall,
    overridden: readonly Adjustment[] = none,
  ): Promise<TransportResponse> {
    this.#lifetime.onEnd(this.#onLifeEnd)
    this.#throwIfCut()
    this.#deadlines.begin()
    const slots = slotsOf(provider)
    return slots === undefined
      ? this.#begin(provider, planned, overridden)
      : this.#outlive(this.#takeSlot(slots)).then(() => this.#begin(provider, planned, overridden))
  }

  /** Returns the error for what `send` threw, without the request's secrets. */
  toFailure(error: unknown): unknown {
    return this.#sent ? this.#failure(error, 'unreachable') : error
  }

  /** Decodes a response. Throws and rejects with errors without the request's secrets. */
  read(response: TransportResponse): UpstreamReply | Promise<UpstreamReply> {
    const called = this.#called!
    this.#throwIfCut()
    this.#deadlines.answered()
    try {
      const maxBytes = called.form === 'embed' ? maxVectorBytes : undefined
      const decoded = called.decode(watchResponse(response, this.#deadlines, maxBytes))
      if (isPromise(decoded)) return this.#readLater(decoded)
      return isPromise(completionIn(decoded)) ? this.#readLater(decoded) : this.#replyOf(decoded)
    } catch (error) {
      throw this.#failure(error, 'garbled')
    }
  }

  async #readLater(decoding: Decoded | PromiseLike<Decoded>): Promise<UpstreamReply> {
    try {
      const reply = isPromise(decoding) ? await this.#outlive(decoding) : decoding
      const completion = completionIn(reply)
      return isPromise(completion)
        ? this.#replyOf({ ...reply, kind: 'completion', completion: await this.#outlive(completion) })
        : this.#replyOf(reply)
    } catch (error) {
      throw this.#failure(error, 'garbled')
    }
  }

  #replyOf(reply: Decoded): UpstreamReply {
    if (!('kind' in reply)) return reply
    const { form } = this.#called!
    const native = form === 'native' || form === 'complete'
    if (reply.kind === 'completion') return new CompleteReply(reply, native)
    this.native = native
    // Its request is not needed any more, and a stream may take long.
    this.#called = undefined
    this.#chunks = reply.chunks[Symbol.asyncIterator]()
    return this
  }

  /** Reads the next chunks of a streamed response. */
  next(): Promise<IteratorResult<ChunkBatch>> {
    if (this.#cutFor !== undefined) return Promise.reject(this.#cutFor)
    try {
      return this.#outlive(this.#chunks!.next(), 'garbled')
    } catch (error) {
      return Promise.reject(this.#failure(error, 'garbled'))
    }
  }

  async return(): Promise<IteratorResult<ChunkBatch>> {
    await this.#chunks?.return?.()
    return { done: true, value: undefined }
  }

  /** Releases everything. Cancels a response that was not read completely, with `reason`. */
  end(completed: boolean, reason?: Error): void {
    this.onCut = undefined
    this.#deadlines.stop()
    this.#lifetime.offEnd(this.#onLifeEnd)
    if (!completed) this.#cut(reason ?? new LifeEnded(this.#lifetime.ended ?? 'client_disconnected'))
    else this.#exchange?.leave()
    if (this.#leaveQueue !== undefined) {
      this.#leaveQueue()
      this.#entry.dequeue(this.#dependencies.clock.monotonic())
    }
    this.#release?.()
    this.#release = undefined
  }

  #begin(
    provider: Provider,
    planned: PlannedCall,
    overridden: readonly Adjustment[],
  ): Promise<TransportResponse> {
    // It may have been cut off while it waited for its slot.
    this.#throwIfCut()
    const called = openCall(provider, planned, this)
    this.#called = called
    const encoded = this.#encode(called)
    return isPromise(encoded)
      ? encoded.then(request => this.#send(request, provider, called, overridden))
      : this.#send(encoded, provider, called, overridden)
  }

  #send(
    request: EncodedNativeRequest,
    provider: Provider,
    called: OpenCall,
    overridden: readonly Adjustment[],
  ): Promise<TransportResponse> {
    this.#throwIfCut()
    const adjustments = memberOf(request, 'adjustments') ?? none
    const all = overridden.length === 0 ? adjustments : [...overridden, ...adjustments]
    this.#entry.adjustments = all
    this.#observer?.adjusted(all)
    this.#url = request.url
    this.#headers = request.headers
    this.#deadlines.start(called.stream)
    const sent = this.#entry.ask(request, called.call)
    this.#sent = true
    const transport = memberOf(provider, 'transport') ?? this.#dependencies.transport
    return this.#exchangeOf(transport, sent, called.stream)
  }

  #encode(called: OpenCall): EncodedNativeRequest | Promise<EncodedNativeRequest> {
    try {
      const encoded: unknown = called.encode()
      return isPromise(encoded) ? this.#encodeLater(encoded) : validatedRequest(encoded)
    } catch (error) {
      throw encodeFailure(error)
    }
  }

  async #encodeLater(encoding: PromiseLike<unknown>): Promise<EncodedNativeRequest> {
    this.#deadlines.writing()
    try {
      return validatedRequest(await this.#outlive(encoding))
    } catch (error) {
      throw encodeFailure(error)
    }
  }

  #exchangeOf(
    transport: Transport,
    request: EncodedNativeRequest,
    streamed: boolean,
  ): Promise<TransportResponse> {
    const begin = beginOf(transport)
    if (begin === undefined) return this.#outlive(transport(withOneBody(request), this.signal))
    this.#exchange = begin(request, streamed)
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
    // Also while a read waits: it may have begun before the response was read.
    this.onCut?.(reason)
  }

  #throwIfCut(): void {
    if (this.#cutFor !== undefined) throw this.#cutFor
  }

  /** Settles as the promise does, or rejects with the reason of the cut if that comes first. One wait at a time. */
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

  #takeSlot(slots: SlotQueue): Promise<void> {
    this.#entry.enqueue(this.#dependencies.clock.monotonic())
    return new Promise(resolve => {
      this.#leaveQueue = slots.wait(this.#caller, release => {
        this.#leaveQueue = undefined
        this.#entry.dequeue(this.#dependencies.clock.monotonic())
        this.#release = release
        resolve()
      })
    })
  }

  /** An aborted call may fail with any error: the reason of the abort is what happened. Never throws. */
  #failure(error: unknown, kind: UpstreamFailure): unknown {
    return this.#cutFor ?? callFailure(error, kind, { url: this.#url, headers: this.#headers })
  }
}

const none: readonly Adjustment[] = Object.freeze([])
const noHeaders: UpstreamRequest['headers'] = {}

/** A provider that is not typed may return a promise of it. */
function completionIn(reply: Decoded): PartialCompletion | Promise<PartialCompletion> | undefined {
  return 'kind' in reply && reply.kind === 'completion' ? reply.completion : undefined
}

/** Throws `TypeError` for what no transport can send: else it would fail as if the upstream had. */
export function validatedRequest(value: unknown): EncodedNativeRequest {
  if (isRequest(value)) return value
  throw new TypeError('The provider encoded no request: expected { method, url, headers, body }.')
}

function isRequest(value: unknown): value is EncodedNativeRequest {
  if (typeof value !== 'object' || value === null) return false
  const { method, url, headers, body } = value as { readonly [Name in keyof EncodedNativeRequest]: unknown }
  const sendable =
    body === undefined || typeof body === 'string' || ArrayBuffer.isView(body) || isListed(body)
  return isText(method) && isText(url) && typeof headers === 'object' && headers !== null && sendable
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
