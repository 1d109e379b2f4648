import type { Outcome } from '../events.ts'
import type { Lifetime } from '../lifetime.ts'
import type { ChatRequest, Usage } from '../protocol/chat.ts'
import { ChunkWriter, errorEvent } from '../protocol/chunk-writer.ts'
import type { Answering, ChunkSource } from '../stages/call.ts'
import type { AnswerIdentity } from '../stages/normalize/completion.ts'
import { StreamNormalizer } from '../stages/normalize/stream.ts'
import type { RequestRecord } from '../stages/settle.ts'
import { estimatedUsage, usageOf } from '../usage.ts'
import { failureOf } from './failure.ts'
import type { TextSource } from './paced-text.ts'

/** What a streamed answer belongs to. */
export interface StreamedRequest {
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
export class StreamedAnswer implements TextSource {
  readonly #request: StreamedRequest
  readonly #normalizer: StreamNormalizer
  readonly #writer: ChunkWriter
  readonly #answering: Promise<Answering<ChunkSource>> | Answering<ChunkSource>
  #upstream: Answering<ChunkSource> | undefined
  #over = false

  /** `answering` is a promise where the head of the answer had to be sent before any upstream answered. */
  constructor(request: StreamedRequest, answering: Promise<Answering<ChunkSource>> | Answering<ChunkSource>) {
    this.#request = request
    this.#answering = answering
    this.#normalizer = new StreamNormalizer(request.newId)
    const { input, identity, lifetime } = request
    this.#writer = new ChunkWriter(identity, input.stream_options?.include_usage === true)
    if (answering instanceof Promise) answering.catch(() => {})
    else this.#follow(answering)
    // Nobody may be reading then. A reader who is there is told of the gateway's end by the failed read.
    lifetime.onEnd(reason => {
      if (reason === 'client_left') this.leave()
      else this.#settle('gateway_closed')
    })
  }

  async next(): Promise<string | undefined> {
    while (!this.#over) {
      try {
        const text = await this.#read()
        if (text !== '') return text
      } catch (error) {
        return this.#break(error)
      }
    }
    return undefined
  }

  leave(): void {
    if (this.#over) return
    this.#close(false)
    this.#settle('client_aborted')
  }

  async #read(): Promise<string> {
    if (this.#upstream === undefined) this.#follow(await this.#answering)
    const result = await this.#upstream!.answer.next()
    if (this.#over) return ''
    const { record } = this.#request
    record.markFirstByte()
    if (result.done === true) return this.#finish()
    return this.#write(this.#normalizer.push(result.value))
  }

  #finish(): string {
    const text = this.#write(this.#normalizer.end())
    this.#close(true)
    return text + this.#writer.end(this.#settle('completed'))
  }

  #write(choices: ReturnType<StreamNormalizer['push']>): string {
    const { serviceTier, systemFingerprint } = this.#normalizer
    return choices.length === 0 ? '' : this.#writer.choices(choices, serviceTier, systemFingerprint)
  }

  #break(error: unknown): string | undefined {
    if (this.#over) return undefined
    this.#close(false)
    const { identity, lifetime } = this.#request
    const { outcome, told } = failureOf(error, identity.model, lifetime)
    this.#settle(outcome, error)
    return errorEvent(told.toBody())
  }

  #follow(upstream: Answering<ChunkSource>): void {
    this.#upstream = upstream
    if (this.#over) upstream.end(false)
  }

  #close(completed: boolean): void {
    this.#over = true
    const upstream = this.#upstream
    if (upstream !== undefined) {
      // Not awaited: an upstream that does not answer its own end must not hold the caller.
      void upstream.answer.return?.().then(undefined, () => {})
      upstream.end(completed)
    } else if (this.#answering instanceof Promise) {
      this.#answering.then(
        late => late.end(false),
        () => {},
      )
    }
    this.#request.lifetime.release()
  }

  #settle(outcome: Outcome, error?: unknown): Usage {
    const { record, input } = this.#request
    const { usage: given, chars } = this.#normalizer
    const usage = given === undefined ? estimatedUsage(input, chars) : usageOf(given)
    record.usage = usage
    record.usageEstimated = given === undefined
    record.settle(outcome, 200, error)
    return usage
  }
}
