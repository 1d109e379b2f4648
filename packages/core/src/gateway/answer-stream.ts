import type {
  AnswerDelta,
  AnswerIdentity,
  AnswerStreamWriter,
  FinishedResponse,
  GenerateDialect,
} from '../contracts/dialect.ts'
import type { RequestOutcome } from '../contracts/events.ts'
import type { ChunkBatch, NativeEvent } from '../contracts/provider.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import { type EndReason, LifeEnded } from '../errors/abort-reasons.ts'
import { isTimeout, UpstreamError } from '../errors/upstream-error.ts'
import type { TextSource } from '../http/keep-alive-stream.ts'
import { StreamNormalizer, streamParameters } from '../normalization/stream.ts'
import { isPromise } from '../primitives/is-promise.ts'
import type { JsonObject, Usage } from '../protocol/chat.ts'
import type { ChunkSource, UpstreamResult } from '../upstream/call-context.ts'
import type { CompleteReply } from '../upstream/complete-reply.ts'
import { type CountedUsage, countedUsage, usageWithFields } from '../usage/usage.ts'
import { toFailure } from './failure.ts'
import { filterBufferedStream } from './filter-response.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'

/** The maximum of a stream that is held back for hooks, in UTF-16 code units: more than any model writes. */
const maxHeldLength = 16_777_216

/** The request of a response. */
export interface AnsweredRequest {
  readonly dialect: GenerateDialect
  readonly request: GenerateRequest
  readonly identity: AnswerIdentity
  readonly context: RequestContext
  readonly accounting: RequestAccounting
  readonly newId: () => string
  /** Stores the response before it is sent; `undefined`: it is not to be stored. Returns whether it is stored. */
  readonly store?: ((finished: FinishedResponse) => boolean | Promise<boolean>) | undefined
  /** Calls the upstream once more, with another request. */
  readonly callAgain: (request: GenerateRequest) => Promise<UpstreamResult<CompleteReply>>
  /** The usage of the response before, where a hook had the model called again. */
  readonly earlierUsage?: Usage
  /** Whether it runs in the background: if it is cancelled, that is written as its end. Default `false`. */
  readonly inBackground?: boolean
}

/**
 * A streamed response as text: what the upstream sends, normalized, as the dialect writes it. The mark of a complete stream is
 * written only after the upstream has ended its own; a broken stream ends with an error. In every case it settles the
 * accounting once and releases everything.
 */
export class AnswerStream implements TextSource {
  readonly #request: AnsweredRequest
  readonly #normalizer: StreamNormalizer
  readonly #writer: AnswerStreamWriter
  // Created once, so that a read costs one promise.
  readonly #took = (read: IteratorResult<ChunkBatch>) => this.#take(read)
  readonly #broke = (error: unknown) => this.#breakRead(error)
  #result: Promise<UpstreamResult<ChunkSource>> | UpstreamResult<ChunkSource> | undefined
  #upstream: UpstreamResult<ChunkSource> | undefined
  /** The model of the response, as recorded. */
  #model: string | undefined
  #reading = false
  /** The error event of a stream that broke between reads. */
  #errorText: string | undefined
  /** What precedes all content, until it is sent. */
  #opening: string
  /** Whether the upstream speaks the dialect, so that its own events are passed on. */
  #passes = false
  /** Whether `#opening` was sent before the upstream answered. */
  #sentOpening = false
  #over = false
  #broken = false
  /** What hooks make of the deltas; `undefined`: they are written as they are. */
  readonly #filter: ((deltas: readonly AnswerDelta[]) => Promise<readonly AnswerDelta[]>) | undefined
  /** The deltas of a stream that hooks read as a whole; `undefined`: it is not held back. */
  readonly #held: AnswerDelta[] | undefined

  /** Made before an upstream is called: the dialect may throw. */
  constructor(request: AnsweredRequest) {
    this.#request = request
    const { dialect, request: asked, identity } = request
    this.#normalizer = new StreamNormalizer(request.newId, streamParameters(asked))
    const priced = identity.cost === undefined ? identity : { ...identity, cost: () => this.#cost() }
    this.#writer = dialect.stream(priced, asked, request.newId)
    this.#opening = textOf(this.#writer.open())
    const { hooks } = request.context
    this.#filter = hooks?.chunkFilter()
    this.#held = hooks?.holdsStreams === true ? [] : undefined
  }

  /**
   * Observes the call and the client, which may end between reads. Call it once. `result` is a promise if the response head
   * had to be sent before any upstream answered.
   */
  start(result: Promise<UpstreamResult<ChunkSource>> | UpstreamResult<ChunkSource>): void {
    const { request, context, accounting } = this.#request
    this.#result = result
    accounting.streaming(() => countedUsage(this.#normalizer.usage, request, this.#normalizer.chars, false))
    if (result instanceof Promise) result.catch(error => this.#breakUnread(error))
    else this.#follow(result)
    context.lifetime.onEnd(reason => {
      if (this.#isDisconnect(reason)) this.cancel()
    })
  }

  /** The response after the stream broke; `undefined` before, and where the dialect does not tell. */
  get failed(): JsonObject | undefined {
    return this.#writer.failed?.()
  }

  #isDisconnect(reason: EndReason | undefined): boolean {
    return reason === 'client_disconnected' && this.#request.inBackground !== true
  }

  next(): Promise<string | undefined> {
    if (this.#over) return Promise.resolve(this.#takeErrorText())
    // The client has the head of the response already, and may wait long for content.
    if (this.#opening !== '' && this.#result instanceof Promise) return Promise.resolve(this.#open())
    this.#reading = true
    // What preceded the failure in the same read was written by now.
    if (this.#normalizer.failure !== undefined) {
      return Promise.resolve(this.#breakRead(this.#normalizer.failure))
    }
    if (this.#upstream === undefined) return this.#begin()
    return this.#upstream.answer.next().then(this.#took, this.#broke)
  }

  cancel(): void {
    if (this.#over) return
    this.#over = true
    // Cuts off an upstream that has not answered yet, which `release` would not.
    this.#request.context.lifetime.end('client_disconnected')
    this.#close(false)
    this.#settle('client_disconnected', new LifeEnded('client_disconnected'))
  }

  async #begin(): Promise<string | undefined> {
    try {
      this.#follow(await this.#result!)
    } catch (error) {
      return this.#breakRead(error)
    }
    return this.#upstream!.answer.next().then(this.#took, this.#broke)
  }

  #take(read: IteratorResult<ChunkBatch>): string | undefined | Promise<string | undefined> {
    this.#reading = false
    if (this.#over) return this.#takeErrorText()
    const { accounting } = this.#request
    accounting.firstByte()
    let text: string
    try {
      if (read.done === true) return this.#finish()
      const deltas = this.#normalizer.push(read.value)
      if (this.#filter !== undefined || this.#held !== undefined) return this.#takeHooked(deltas)
      text = this.#passes ? this.#pass(read.value.native) : this.#write(deltas)
      this.#recordModel()
      accounting.sent(text)
    } catch (error) {
      return this.#break(error)
    }
    return text === '' ? this.next() : text
  }

  /** Writes what hooks make of the deltas, or holds them back for hooks that read the whole response. */
  async #takeHooked(given: readonly AnswerDelta[]): Promise<string | undefined> {
    this.#recordModel()
    let text = ''
    try {
      const deltas = this.#filter === undefined ? given : await this.#filter(given)
      if (this.#over) return this.#takeErrorText()
      if (this.#held === undefined) text = this.#write(deltas)
      else this.#hold(deltas, this.#held)
      this.#request.accounting.sent(text)
    } catch (error) {
      return this.#break(error)
    }
    return text === '' ? this.next() : text
  }

  #hold(deltas: readonly AnswerDelta[], held: AnswerDelta[]): void {
    if (this.#normalizer.chars > maxHeldLength) {
      throw new UpstreamError('The response is too long to be held back for a hook.', { kind: 'garbled' })
    }
    held.push(...deltas)
  }

  /** Ends a stream with what hooks make of its last deltas, or of all that were held back. */
  async #finishHooked(ended: readonly AnswerDelta[]): Promise<string | undefined> {
    try {
      let last = this.#filter === undefined ? ended : await this.#filter(ended)
      if (this.#held !== undefined) {
        const deltas = [...this.#held, ...last]
        last = await filterBufferedStream(this.#request.context.hooks!, deltas, this.#normalizer.model)
      }
      return this.#over ? this.#takeErrorText() : await this.#complete(last)
    } catch (error) {
      return this.#break(error)
    }
  }

  /** As soon as it is known: the usage so far is priced by it. */
  #recordModel(): void {
    const { model } = this.#normalizer
    if (model === this.#model) return
    this.#model = model
    this.#request.accounting.attempts.counted?.setResponseModel(model)
  }

  #breakRead(error: unknown): string | undefined {
    this.#reading = false
    return this.#break(error)
  }

  #takeErrorText(): string | undefined {
    const text = this.#errorText
    this.#errorText = undefined
    return text
  }

  #finish(): string | undefined | Promise<string | undefined> {
    const ended = this.#normalizer.end()
    if (this.#filter !== undefined || this.#held !== undefined) return this.#finishHooked(ended)
    return this.#complete(this.#passes ? [] : ended)
  }

  #complete(last: readonly AnswerDelta[]): string | undefined | Promise<string | undefined> {
    const counted = this.#counted(true)
    const usage = usageWithFields(counted.usage, this.#normalizer.usage)
    const writer = this.#writer
    const { store } = this.#request
    // Before the call is closed: the dialect may throw.
    if (store === undefined || writer.finish === undefined) {
      return this.#end(writer.end(last, this.#normalizer, usage), counted)
    }
    const storing = store(writer.finish(last, this.#normalizer, usage))
    if (!isPromise(storing)) return this.#end(writer.close!(storing), counted)
    return storing
      .then(stored => (this.#over ? this.#takeErrorText() : this.#end(writer.close!(stored), counted)))
      .catch(this.#broke)
  }

  #end(written: string, counted: CountedUsage): string | undefined {
    const text = this.#opened(written)
    this.#close(true)
    this.#request.accounting.sent(text)
    this.#settle('completed', undefined, counted)
    return text === '' ? undefined : text
  }

  #write(deltas: readonly AnswerDelta[]): string {
    return deltas.length === 0 ? '' : this.#opened(this.#writer.push(deltas, this.#normalizer))
  }

  /** The vendor's own events have its opening, unless that of the dialect was sent already. */
  #pass(events: readonly NativeEvent[] | undefined): string {
    if (events === undefined || events.length === 0) return ''
    this.#opening = ''
    return textOf(this.#writer.pass!(events, this.#sentOpening))
  }

  #open(): string {
    this.#sentOpening = true
    const text = this.#opened('')
    this.#request.accounting.sent(text)
    return text
  }

  /** Puts what precedes all content in front of the first text. */
  #opened(written: string): string {
    const text = textOf(written)
    const opening = this.#opening
    if (opening === '') return text
    this.#opening = ''
    return opening + text
  }

  #break(error: unknown): string | undefined {
    if (this.#over) return undefined
    this.#broken = true
    this.#close(false, error)
    const { identity, context } = this.#request
    const { outcome, clientError } = toFailure(error, identity.model, context.lifetime)
    // Written first: an observer may change the error.
    let text: string
    try {
      const usage = this.#normalizer.hasOutput ? this.#counted(false).usage : undefined
      text = this.#opened(this.#writer.fail(clientError, usage))
    } catch (failure) {
      this.#settle('internal_error', failure)
      return undefined
    }
    this.#request.accounting.bodySent(text)
    this.#settle(outcome, error)
    return text
  }

  #breakUnread(error: unknown): void {
    if (this.#isDisconnect(this.#request.context.lifetime.ended)) this.cancel()
    else if (!this.#reading) this.#errorText = this.#break(error)
  }

  #follow(upstream: UpstreamResult<ChunkSource>): void {
    this.#upstream = upstream
    this.#passes = upstream.answer.native === true && this.#writer.pass !== undefined
    upstream.onCut(error => this.#breakUnread(error))
    if (this.#over) upstream.end(false)
  }

  #close(completed: boolean, error?: unknown): void {
    this.#over = true
    const upstream = this.#upstream
    if (upstream !== undefined) {
      // Not awaited: an upstream that hangs at its end must not hold the client.
      void upstream.answer.return?.().then(undefined, () => {})
      upstream.end(completed, error)
    } else if (this.#result instanceof Promise) {
      this.#result.then(
        late => late.end(false),
        () => {},
      )
    }
    this.#request.context.lifetime.release()
  }

  /** Returns the cost so far, as it would be recorded if the stream ended now. */
  #cost(): number | undefined {
    const { hasOutput, started } = this.#normalizer
    if (!hasOutput && !started) return undefined
    return this.#request.accounting.exposedCost(this.#counted(!this.#broken))
  }

  #counted(completed: boolean): CountedUsage {
    const { usage, chars, refusalChars, answeredTier } = this.#normalizer
    return countedUsage(usage, this.#request.request, chars, completed, refusalChars, answeredTier)
  }

  #settle(outcome: RequestOutcome, error?: unknown, counted = this.#counted(false)): void {
    const { accounting } = this.#request
    // The vendor may have generated all of a response that was cancelled before any content.
    if (this.#normalizer.hasOutput || (this.#normalizer.started && !wasCutOff(outcome, error))) {
      accounting.answered(counted)
    } else accounting.answeredWithoutContent(this.#normalizer.usage)
    const { traced } = accounting.attempts
    if (traced !== undefined) traced.finishReasons = this.#normalizer.finishReasons
    accounting.settled(outcome, 200, error)
  }
}

/** Returns what a dialect wrote. Throws `TypeError` if it is no text. */
function textOf(written: unknown): string {
  if (typeof written === 'string') return written
  throw new TypeError(`The dialect wrote ${typeof written} to a stream, expected a string.`)
}

/** Whether the caller, the gateway or a deadline ended a response, and not its upstream. */
function wasCutOff(outcome: RequestOutcome, error: unknown): boolean {
  return outcome === 'client_disconnected' || outcome === 'gateway_closed' || isTimeout(error)
}
