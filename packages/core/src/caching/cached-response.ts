import type { Adjustment } from '../contracts/provider.ts'
import { utf8Length } from '../primitives/utf8-length.ts'

/** A finished answer as it was sent, without its headers. */
export interface CachedResponse {
  /** Whether the text is server-sent events, to the end mark; else it is JSON. */
  readonly stream: boolean
  readonly text: string
  /** What was done to parameters for it. */
  readonly adjustments: readonly Adjustment[]
}

/** A kept answer in what was parsed of a store's text, or `undefined` for what is none. */
export function keptAnswerOf(value: unknown): CachedResponse | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { stream, text, adjustments } = value as Partial<Record<keyof CachedResponse, unknown>>
  if (typeof stream !== 'boolean' || typeof text !== 'string' || text === '') return undefined
  if (!Array.isArray(adjustments) || !adjustments.every(isAdjustment)) return undefined
  return { stream, text, adjustments }
}

function isAdjustment(value: unknown): value is Adjustment {
  if (typeof value !== 'object' || value === null) return false
  const { parameter, action, detail } = value as Partial<Record<keyof Adjustment, unknown>>
  const told = detail === undefined || typeof detail === 'string'
  return typeof parameter === 'string' && actions.includes(action) && told
}

const actions: readonly unknown[] = ['dropped', 'mapped', 'defaulted'] satisfies Adjustment['action'][]

/** Where an answer that is being made will be kept. It is told once how that ended, and neither throws nor rejects. */
export interface CacheWriter {
  /** How many bytes of UTF-8 the text of an answer may have. */
  readonly maxBytes: number
  /** The answer came to its own end; `undefined` where it is larger. */
  completed(answer: CachedResponse | undefined): void | Promise<void>
  /** It did not: refused, broken off, left. */
  failed(): void | Promise<void>
}

/** Copies the text of an answer while it is sent, as far as somebody would keep it. */
export class ResponseCapture {
  readonly #keepers: CacheWriter[] = []
  readonly #pieces: string[] = []
  #bytes = 0
  #most = 0

  keepFor(keeper: CacheWriter): void {
    this.#keepers.push(keeper)
    this.#most = Math.max(this.#most, keeper.maxBytes)
  }

  /** The next piece of the answer's text. */
  add(text: string): void {
    if (this.#bytes > this.#most) return
    this.#bytes += utf8Length(text)
    if (this.#bytes > this.#most) this.#pieces.length = 0
    else this.#pieces.push(text)
  }

  /** The request has ended. Resolves when all that keep its answer have done so. */
  async ended(completed: boolean, stream: boolean, adjustments: readonly Adjustment[]): Promise<void> {
    const answer = { stream, text: this.#pieces.join(''), adjustments }
    const whole = completed && this.#bytes > 0
    await Promise.all(
      this.#keepers.map(keeper =>
        whole ? keeper.completed(this.#bytes > keeper.maxBytes ? undefined : answer) : keeper.failed(),
      ),
    )
  }
}

/** What a store's text says, or `undefined` where it is no JSON: somebody else has written it. */
export function parsedText(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
