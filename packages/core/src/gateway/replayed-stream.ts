import type { GenerateDialect } from '../contracts/dialect.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { toFailure } from './failure.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'

/** How much of the text is sent at once, in UTF-16 units: whole events, at least one. */
const pieceLength = 16_384

/** The body of a stored stream: its events, in pieces. Whatever ends it, the accounting is settled once. */
export class ReplayedStream implements AsyncIterableIterator<string> {
  readonly #context: Pick<RequestContext, 'model' | 'lifetime'>
  readonly #accounting: Pick<RequestAccounting, 'firstByte' | 'bodySent' | 'settled'>
  readonly #text: string
  readonly #dialect: Pick<GenerateDialect, 'streamError'>
  #at = 0
  /** The error event of one that was cut off. */
  #errorText: string | undefined

  /** `text` is server-sent events, to the end mark. */
  constructor(
    text: string,
    dialect: Pick<GenerateDialect, 'streamError'>,
    context: Pick<RequestContext, 'model' | 'lifetime'>,
    accounting: Pick<RequestAccounting, 'firstByte' | 'bodySent' | 'settled'>,
  ) {
    this.#text = text
    this.#dialect = dialect
    this.#context = context
    this.#accounting = accounting
  }

  /** Follows the end of the request. Called once. */
  start(): void {
    this.#context.lifetime.onEnd(reason => this.#cut(new LifeEnded(reason)))
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#errorText !== undefined) {
      const value = this.#errorText
      this.#errorText = undefined
      return { done: false, value }
    }
    const from = this.#at
    if (from === this.#text.length) return { done: true, value: undefined }
    this.#at = pieceEnd(this.#text, from)
    this.#accounting.firstByte()
    const value = this.#text.slice(from, this.#at)
    this.#accounting.bodySent(value)
    if (this.#at === this.#text.length) {
      this.#context.lifetime.release()
      this.#accounting.settled('completed', 200)
    }
    return { done: false, value }
  }

  async return(): Promise<IteratorResult<string>> {
    this.#context.lifetime.end('client_disconnected')
    this.#at = this.#text.length
    this.#errorText = undefined
    return { done: true, value: undefined }
  }

  #cut(error: LifeEnded): void {
    this.#at = this.#text.length
    const { model = '', lifetime } = this.#context
    const { outcome, clientError } = toFailure(error, model, lifetime)
    lifetime.release()
    try {
      this.#errorText = this.#dialect.streamError(clientError)
    } catch (failure) {
      this.#accounting.settled('internal_error', 200, failure)
      return
    }
    if (outcome !== 'client_disconnected') this.#accounting.bodySent(this.#errorText)
    this.#accounting.settled(outcome, 200, error)
  }
}

/** Where the next piece ends: behind a whole event. */
function pieceEnd(text: string, from: number): number {
  if (text.length - from <= pieceLength) return text.length
  const last = text.lastIndexOf('\n\n', from + pieceLength - 2)
  const end = last > from ? last : text.indexOf('\n\n', from)
  return end === -1 ? text.length : end + 2
}
