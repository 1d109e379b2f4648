import type { StoredRun } from '../contracts/dialect.ts'
import { GatewayError } from '../errors/errors.ts'
import type { TextSource } from '../http/keep-alive-stream.ts'

/** Where the events of a response are read from: the process that runs it, or a store. */
export interface EventSource {
  /** Returns the text of a part so far; `undefined` for one that is not stored. Rejects with `GatewayError`. */
  read(part: number): string | undefined | Promise<string | undefined>
  /** How far the response has come, as last known. */
  readonly run: Pick<StoredRun, 'parts'> & { readonly ended: boolean }
  /** Called before a read. Returns a function that resolves when there may be more than that read has returned. */
  watch(): () => Promise<void>
}

/** What a dialect knows of streams. */
export interface StreamEnds {
  readonly endMark: string
  /** Returns the end of a stream that is cut off. */
  error(error: GatewayError): string
}

/** How often a source that has ended is waited for, until its last event is stored. */
const maxWaits = 20

/** The events of a response in the background from a number on, as one request reads them. It ends with the response. */
export class FollowedEvents implements TextSource {
  readonly #source: EventSource
  readonly #ends: StreamEnds
  readonly #onEnd: (isComplete: boolean) => void
  #part: number
  /** How much of the part was read. */
  #offset = 0
  /** The number of events to leave out. */
  #skipped: number
  #waits = 0
  #error: GatewayError | undefined
  #wake = () => {}
  #over = false

  /**
   * @param from - the number of the first event.
   * @param onEnd - called once, with whether the stream was read to its end.
   */
  constructor(source: EventSource, ends: StreamEnds, from: number, onEnd: (isComplete: boolean) => void) {
    this.#source = source
    this.#ends = ends
    this.#onEnd = onEnd
    const { parts } = source.run
    this.#part = Math.max(
      0,
      parts.findLastIndex(first => first <= from),
    )
    this.#skipped = from - (parts[this.#part] ?? 0)
  }

  async next(): Promise<string | undefined> {
    try {
      while (!this.#over) {
        if (this.#error !== undefined) return this.#cut(this.#error)
        const wait = this.#source.watch()
        const text = await this.#read()
        if (text === undefined) await this.#wait(wait)
        else if (text !== '' && !this.#over) return this.#take(text)
      }
      return undefined
    } catch (error) {
      return this.#cut(GatewayError.is(error) ? error : new GatewayError('server_error', { cause: error }))
    }
  }

  cancel(): void {
    this.#end(false)
    this.#wake()
  }

  /** Ends the stream with an error, also while it waits. */
  interrupt(error: GatewayError): void {
    this.#error = error
    this.#wake()
  }

  /** Ends the stream with an error. Returns its text; `undefined` if it has ended already. */
  #cut(error: GatewayError): string | undefined {
    if (this.#over) return undefined
    this.#end(false)
    return this.#ends.error(error)
  }

  /** Returns what is new, which may be left out; `undefined`: nothing is. */
  async #read(): Promise<string | undefined> {
    const part = this.#part
    // First: a part that had ended by then is read to its end.
    const isClosed = part + 1 < this.#source.run.parts.length
    const text = await this.#source.read(part)
    if (text !== undefined && text.length > this.#offset) {
      const added = text.slice(this.#offset)
      this.#offset = text.length
      this.#waits = 0
      return this.#withoutSkipped(added)
    }
    if (!isClosed) return undefined
    if (text === undefined) throw eventsLost()
    this.#part++
    this.#offset = 0
    return ''
  }

  #take(text: string): string {
    if (text.endsWith(this.#ends.endMark)) this.#end(true)
    return text
  }

  async #wait(wait: () => Promise<void>): Promise<void> {
    if (this.#source.run.ended && ++this.#waits > maxWaits) throw eventsLost()
    if (this.#error !== undefined || this.#over) return
    await new Promise<void>((resolve, reject) => {
      this.#wake = resolve
      wait().then(resolve, reject)
    })
  }

  #withoutSkipped(text: string): string {
    let at = 0
    for (; this.#skipped > 0; this.#skipped--) {
      const end = text.indexOf('\n\n', at)
      if (end === -1) break
      at = end + 2
    }
    const { endMark } = this.#ends
    // The mark has no number.
    return at === text.length && text.endsWith(endMark) ? endMark : text.slice(at)
  }

  #end(isComplete: boolean): void {
    if (this.#over) return
    this.#over = true
    this.#onEnd(isComplete)
  }
}

function eventsLost(): GatewayError {
  return new GatewayError('server_error', {
    message: 'The events of the response are not stored any longer.',
  })
}
