import type { Adjustment } from '../contracts/provider.ts'
import { utf8Length } from '../primitives/utf8-length.ts'

/** A complete response as it was sent, without its headers. */
export interface CachedResponse {
  /** Whether the text is an event stream, including its end marker; otherwise it is JSON. */
  readonly stream: boolean
  readonly text: string
  /** The parameter adjustments of the request. */
  readonly adjustments: readonly Adjustment[]
}

/** Returns a cached response from parsed JSON, or `undefined` if it is invalid. */
export function toCachedResponse(value: unknown): CachedResponse | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { stream, text, adjustments } = value as Partial<Record<keyof CachedResponse, unknown>>
  if (typeof stream !== 'boolean' || typeof text !== 'string' || text === '') return undefined
  if (!Array.isArray(adjustments) || !adjustments.every(isAdjustment)) return undefined
  return { stream, text, adjustments }
}

function isAdjustment(value: unknown): value is Adjustment {
  if (typeof value !== 'object' || value === null) return false
  const { parameter, action, detail } = value as Partial<Record<keyof Adjustment, unknown>>
  const hasValidDetail = detail === undefined || typeof detail === 'string'
  return typeof parameter === 'string' && actions.includes(action) && hasValidDetail
}

const actions: readonly unknown[] = ['dropped', 'mapped', 'defaulted'] satisfies Adjustment['action'][]

/** Stores a response once it is complete. One of its functions is called once; they neither throw nor reject. */
export interface CacheWriter {
  /** Maximum size of the text in UTF-8 bytes. */
  readonly maxBytes: number
  /** The response is complete; `undefined` if it exceeds `maxBytes`. */
  completed(answer: CachedResponse | undefined): void | Promise<void>
  /** The response is an error or incomplete. */
  failed(): void | Promise<void>
}

/** Captures the text of a response while it is sent, up to the largest `maxBytes` of its writers. */
export class ResponseCapture {
  readonly #writers: CacheWriter[] = []
  readonly #pieces: string[] = []
  #bytes = 0
  #maxBytes = 0

  addWriter(writer: CacheWriter): void {
    this.#writers.push(writer)
    this.#maxBytes = Math.max(this.#maxBytes, writer.maxBytes)
  }

  /** Appends a piece of the text. */
  add(text: string): void {
    if (this.#bytes > this.#maxBytes) return
    this.#bytes += utf8Length(text)
    if (this.#bytes > this.#maxBytes) this.#pieces.length = 0
    else this.#pieces.push(text)
  }

  /**
   * Ends the capture. Resolves when all writers have stored the response.
   *
   * @param edit - returns the text to store. Default: the text as it was sent.
   */
  async ended(
    completed: boolean,
    stream: boolean,
    adjustments: readonly Adjustment[],
    edit: (text: string, stream: boolean) => string = text => text,
  ): Promise<void> {
    const answer = { stream, text: edit(this.#pieces.join(''), stream), adjustments }
    const isComplete = completed && this.#bytes > 0
    await Promise.all(
      this.#writers.map(writer =>
        isComplete ? writer.completed(this.#bytes > writer.maxBytes ? undefined : answer) : writer.failed(),
      ),
    )
  }
}

/** Parses the text of a store. Returns `undefined` if it is not JSON. */
export function parsedText(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
