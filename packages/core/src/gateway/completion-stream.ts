import type { RequestOutcome } from '../contracts/events.ts'
import type { PartialChunk } from '../contracts/provider.ts'
import { ChunkWriter, errorEvent } from '../dialects/chat/chunk-writer.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import type { TextSource } from '../http/keep-alive-stream.ts'
import type { Lifetime } from '../http/lifetime.ts'
import type { AnswerIdentity } from '../normalization/completion.ts'
import { StreamNormalizer } from '../normalization/stream.ts'
import { isTimeout } from '../observability/attempt-log.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import type { ChunkSource } from '../upstream/attempts/peeked-stream.ts'
import type { UpstreamResult } from '../upstream/call-context.ts'
import { type CountedUsage, countedUsage } from '../usage/usage.ts'
import { toFailure } from './failure.ts'
import type { RequestRecord } from './request-record.ts'

/** What an answer belongs to. */
export interface AnsweredRequest {
  readonly input: ChatRequest
  readonly identity: AnswerIdentity
  readonly record: RequestRecord
  readonly lifetime: Lifetime
  readonly newId: () => string
}

/**
 * A streamed answer as text: the upstream's chunks, normalised, until its end or until it breaks. `[DONE]`
 * is written only when the upstream's own end was seen; what breaks off ends with an error event. Whatever
 * ends it, the record is settled once and nothing stays behind.
 */
export class CompletionStream implements TextSource {
  readonly #request: AnsweredRequest
  readonly #normalizer: StreamNormalizer
  readonly #writer: ChunkWriter
  readonly #answering: Promise<UpstreamResult<ChunkSource>> | UpstreamResult<ChunkSource>
  // Made once: a read costs one promise.
  readonly #took = (read: IteratorResult<readonly PartialChunk[]>) => this.#take(read)
  readonly #broke = (error: unknown) => this.#breakRead(error)
  #upstream: UpstreamResult<ChunkSource> | undefined
  /** The model that the answer names, as it was recorded. */
  #model: string | undefined
  #reading = false
  /** The last words of an answer that broke off while nobody read. */
  #lastWords: string | undefined
  #over = false

  /** `answering` is a promise where the head of the answer had to be sent before any upstream answered. */
  constructor(
    request: AnsweredRequest,
    answering: Promise<UpstreamResult<ChunkSource>> | UpstreamResult<ChunkSource>,
  ) {
    this.#request = request
    this.#answering = answering
    const { input, identity, lifetime } = request
    this.#normalizer = new StreamNormalizer(request.newId, {
      choices: input.n ?? 1,
      logprobs: input.logprobs === true,
    })
    this.#writer = new ChunkWriter(identity, input.stream_options?.include_usage === true)
    request.record.soFar = () => countedUsage(this.#normalizer.usage, input, this.#normalizer.chars, false)
    if (answering instanceof Promise) answering.catch(error => this.#breakUnread(error))
    else this.#follow(answering)
    // Nobody may be reading when the client leaves.
    lifetime.onEnd(reason => {
      if (reason === 'client_disconnected') this.cancel()
    })
  }

  next(): Promise<string | undefined> {
    if (this.#over) return Promise.resolve(this.#takeLastWords())
    this.#reading = true
    // What came in front of it in the same read has been told by now.
    if (this.#normalizer.failure !== undefined) {
      return Promise.resolve(this.#breakRead(this.#normalizer.failure))
    }
    if (this.#upstream === undefined) return this.#begin()
    return this.#upstream.answer.next().then(this.#took, this.#broke)
  }

  cancel(): void {
    if (this.#over) return
    this.#over = true
    // An upstream that has not answered yet hears of it here, and of nothing after `release`.
    this.#request.lifetime.end('client_disconnected')
    this.#close(false)
    this.#settle('client_disconnected', new LifeEnded('client_disconnected'))
  }

  async #begin(): Promise<string | undefined> {
    try {
      this.#follow(await this.#answering)
    } catch (error) {
      return this.#breakRead(error)
    }
    return this.#upstream!.answer.next().then(this.#took, this.#broke)
  }

  #take(read: IteratorResult<readonly PartialChunk[]>): string | undefined | Promise<string | undefined> {
    this.#reading = false
    if (this.#over) return this.#takeLastWords()
    const { record } = this.#request
    record.markFirstByte()
    let text: string
    try {
      if (read.done === true) return this.#finish()
      text = this.#write(this.#normalizer.push(read.value))
      this.#recordModel()
      record.capture?.add(text)
    } catch (error) {
      return this.#break(error)
    }
    return text === '' ? this.next() : text
  }

  /** As soon as it is known: the record's progress is priced by it. */
  #recordModel(): void {
    const { model } = this.#normalizer
    if (model === this.#model) return
    this.#model = model
    this.#request.record.attempts.counted?.setResponseModel(model)
  }

  #breakRead(error: unknown): string | undefined {
    this.#reading = false
    return this.#break(error)
  }

  #takeLastWords(): string | undefined {
    const words = this.#lastWords
    this.#lastWords = undefined
    return words
  }

  #finish(): string {
    const choices = this.#write(this.#normalizer.end())
    this.#close(true)
    const { record } = this.#request
    const counted = this.#counted(true)
    const text = choices + this.#writer.end(counted.usage)
    record.capture?.add(text)
    this.#settle('completed', undefined, counted)
    return text
  }

  #write(choices: ReturnType<StreamNormalizer['push']>): string {
    const { serviceTier, systemFingerprint } = this.#normalizer
    return choices.length === 0 ? '' : this.#writer.choices(choices, serviceTier, systemFingerprint)
  }

  #break(error: unknown): string | undefined {
    if (this.#over) return undefined
    this.#close(false, error)
    const { identity, lifetime } = this.#request
    const { outcome, clientError: told } = toFailure(error, identity.model, lifetime)
    // Made first: who is told of the error may change it.
    const lastWords = errorEvent(told.toBody())
    this.#settle(outcome, error)
    return lastWords
  }

  #breakUnread(error: unknown): void {
    if (this.#request.lifetime.ended === 'client_disconnected') this.cancel()
    else if (!this.#reading) this.#lastWords = this.#break(error)
  }

  #follow(upstream: UpstreamResult<ChunkSource>): void {
    this.#upstream = upstream
    upstream.onCut(error => this.#breakUnread(error))
    if (this.#over) upstream.end(false)
  }

  #close(completed: boolean, error?: unknown): void {
    this.#over = true
    const upstream = this.#upstream
    if (upstream !== undefined) {
      // Not awaited: an upstream that does not answer its own end must not hold the caller.
      void upstream.answer.return?.().then(undefined, () => {})
      upstream.end(completed, error)
    } else if (this.#answering instanceof Promise) {
      this.#answering.then(
        late => late.end(false),
        () => {},
      )
    }
    this.#request.lifetime.release()
  }

  #counted(completed: boolean): CountedUsage {
    const { usage, chars, refusalChars, answeredTier } = this.#normalizer
    return countedUsage(usage, this.#request.input, chars, completed, refusalChars, answeredTier)
  }

  #settle(outcome: RequestOutcome, error?: unknown, counted = this.#counted(false)): void {
    const { record } = this.#request
    // Of an answer that was cut off in silence the vendor may have made all.
    if (this.#normalizer.spoke || (this.#normalizer.begun && !wasCutOff(outcome, error))) {
      record.count(counted)
    } else record.counted = this.#normalizer.usage
    if (record.attempts.traced !== undefined) {
      record.attempts.traced.finishReasons = this.#normalizer.finishReasons
    }
    record.settle(outcome, 200, error)
  }
}

/** Whether an answer ended by its caller, its gateway or a deadline, and not by its upstream. */
function wasCutOff(outcome: RequestOutcome, error: unknown): boolean {
  return outcome === 'client_disconnected' || outcome === 'gateway_closed' || isTimeout(error)
}
