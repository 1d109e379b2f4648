import { type PartialChunk, SseDecoder, UpstreamError } from '@sluice/core/provider'
import { truncated } from '../wire/event-chunks.ts'
import { garbledResponse, toUpstreamError } from '../wire/garbled-response.ts'
import { toChunk } from '../wire/parse-completion.ts'
import { parseJson } from '../wire/parse-json.ts'
import { PeekedBody } from '../wire/peeked-body.ts'
import type { AnswerExtras } from './answer-extras.ts'
import { ChunkReader } from './chunk-reader.ts'
import { parseChatCompletion } from './partial-completion.ts'
import { TextEventTemplate } from './text-event-template.ts'

type Read = IteratorResult<readonly PartialChunk[]>

/**
 * Reads a streamed completion: one array per read that added something. It ends at `[DONE]`, or where the body ends
 * cleanly after each choice that was asked for, or more, had its reason to end.
 *
 * Throws `UpstreamError`: `refused` for an error in the stream, `truncated` for an early end, `garbled` for
 * what is no chunk. What came before it is delivered first. A body that is one JSON completion is taken too.
 *
 * It does what a generator would, which would cost several promises for each read; but it has to be asked for one array
 * after the other.
 */
export class ChunkStream implements AsyncIterableIterator<readonly PartialChunk[]> {
  readonly #body: AsyncIterable<Uint8Array>
  readonly #reader: ChunkReader
  readonly #decoder = new SseDecoder()
  readonly #form: TextEventTemplate
  readonly #extras: AnswerExtras | undefined
  readonly #took = (read: IteratorResult<Uint8Array>) => this.#take(read)
  readonly #broke = (error: unknown) => this.#break(error)
  #bytes: AsyncIterator<Uint8Array> | undefined
  #reading = false
  /** The body has ended by itself. */
  #ended = false
  /** The failure that the last read found, beside its chunks. */
  #failure: unknown
  #over = false

  /** @param asked - how many choices (`n`). */
  constructor(body: AsyncIterable<Uint8Array>, asked: number, extras?: AnswerExtras) {
    this.#body = body
    this.#reader = new ChunkReader(asked, extras)
    this.#form = new TextEventTemplate(extras)
    this.#extras = extras
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Read> {
    if (this.#over) return Promise.resolve(nothing)
    if (this.#failure !== undefined || this.#ended || this.#reader.progress === 'ended') return this.#end()
    this.#reading = true
    if (this.#bytes === undefined) return this.#begin().catch(this.#broke)
    return this.#bytes.next().then(this.#took, this.#broke)
  }

  async return(): Promise<Read> {
    if (this.#over) return nothing
    this.#over = true
    // A running read finishes first.
    if (!this.#reading) await this.#leave()
    return nothing
  }

  async #begin(): Promise<Read> {
    const peeked = new PeekedBody(this.#body)
    this.#bytes = peeked.bytes
    if (await peeked.beginsAsJson()) {
      const chunk = toChunk(parseChatCompletion(await peeked.text(), this.#extras))
      this.#over = true
      return { done: false, value: [chunk] }
    }
    const first = peeked.held
    return this.#take(first === undefined ? nothing : { done: false, value: first })
  }

  #take(read: IteratorResult<Uint8Array>): Read | Promise<Read> {
    this.#reading = false
    if (read.done === true) this.#ended = true
    const chunks = this.#chunksOf(read)
    // It was left meanwhile.
    if (this.#over) void this.#leave().catch(() => {})
    return chunks.length > 0 ? { done: false, value: chunks } : this.next()
  }

  #chunksOf(read: IteratorResult<Uint8Array>): PartialChunk[] {
    const chunks: PartialChunk[] = []
    try {
      const events = read.done === true ? this.#decoder.end() : this.#decoder.push(read.value)
      for (const { event, data } of events) {
        if (data.startsWith('[DONE]')) {
          this.#reader.end()
          return chunks
        }
        const text = event === 'message' ? this.#form.read(data) : undefined
        const chunk = text ?? this.#read(event, data)
        if (chunk !== undefined) chunks.push(chunk)
        if (this.#reader.failure !== undefined) throw this.#reader.failure
      }
      this.#decoder.check()
    } catch (error) {
      this.#failure = toUpstreamError(error)
    }
    return chunks
  }

  #read(event: string, data: string): PartialChunk | undefined {
    const value = eventValue(event, data, this.#ended)
    if (value === undefined) return undefined
    const chunk = this.#reader.read(value, event)
    if (chunk === undefined) return undefined
    if (this.#extras !== undefined && hasFields(chunk)) this.#form.forget()
    if (event === 'message') this.#form.learn(data, value, chunk)
    return chunk
  }

  async #end(): Promise<Read> {
    this.#over = true
    try {
      await this.#leave()
    } catch (error) {
      this.#failure ??= error
    }
    if (this.#failure !== undefined) throw this.#failure
    if (this.#reader.progress === 'open') throw truncated()
    return nothing
  }

  async #leave(): Promise<void> {
    if (!this.#ended) await this.#bytes?.return?.()
  }

  /** The body failed. */
  #break(error: unknown): never {
    this.#reading = false
    this.#over = true
    throw error
  }
}

const nothing = Object.freeze({ done: true, value: undefined })

function hasFields({ choices, provider_specific_fields }: PartialChunk): boolean {
  if (provider_specific_fields !== undefined) return true
  return choices.some(
    choice =>
      choice.provider_specific_fields !== undefined || choice.delta.provider_specific_fields !== undefined,
  )
}

function eventValue(event: string, data: string, bodyEnded: boolean): unknown {
  // A keep-alive in the form of an event.
  if (data.trim() === '') return undefined
  try {
    return parseJson(data)
  } catch (cause) {
    if (UpstreamError.is(cause)) throw cause
    if (event === 'error') return { error: data }
    if (event !== 'message') return undefined
    // The piece of an event that a cut left behind.
    if (bodyEnded) return undefined
    throw garbledResponse('an event that is no JSON', cause)
  }
}
