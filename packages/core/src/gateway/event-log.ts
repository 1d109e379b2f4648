import { withResolver } from '../primitives/with-resolver.ts'

/** A part ends with the text that reaches this length, in UTF-16 units. */
const partLength = 65_536

/** The most events that wait to be stored, in UTF-16 units: then the upstream is read no further. */
const maxPending = 1_048_576

/** The events of a response while it runs, which are stored in parts. What is stored is not in memory any longer, but for the last part. */
export class EventLog {
  /** Stores a part. Resolves to whether it is stored. */
  readonly #put: (part: number, text: string) => Promise<boolean>
  readonly #firsts: number[] = [0]
  /** Parts that have ended and are not stored yet. */
  readonly #pending = new Map<number, string>()
  /** The last part, so far. */
  #open = ''
  #isOpenStored = true
  #pendingLength = 0
  /** The number of the next event. */
  #next = 0
  #flushing: Promise<boolean> = Promise.resolve(true)
  #change = withResolver()
  #ended = false

  constructor(put: (part: number, text: string) => Promise<boolean>) {
    this.#put = put
  }

  /** The number of the first event of each part. */
  get parts(): readonly number[] {
    return [...this.#firsts]
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Whether the store has to catch up first. */
  get isFull(): boolean {
    return this.#pendingLength >= maxPending
  }

  /** Appends whole events. */
  append(text: string): void {
    this.#open += text
    this.#next += countEvents(text)
    this.#isOpenStored = false
    if (this.#open.length >= partLength) {
      this.#pending.set(this.#firsts.length - 1, this.#open)
      this.#pendingLength += this.#open.length
      this.#firsts.push(this.#next)
      this.#open = ''
      this.#isOpenStored = true
    }
    this.#notify()
  }

  /** No event follows. */
  end(): void {
    this.#ended = true
    this.#notify()
  }

  /** Returns the text of a part so far; `undefined` if it is in the store only. */
  part(part: number): string | undefined {
    return part === this.#firsts.length - 1 ? this.#open : this.#pending.get(part)
  }

  /** Resolves when events are appended, or at the end. */
  changed(): Promise<void> {
    return this.#change.promise
  }

  /** Stores what is not stored yet. Resolves to whether all of it is. */
  flush(): Promise<boolean> {
    this.#flushing = this.#flushing.then(() => this.#store())
    return this.#flushing
  }

  async #store(): Promise<boolean> {
    for (const [part, text] of this.#pending) {
      if (!(await this.#put(part, text))) return false
      this.#pending.delete(part)
      this.#pendingLength -= text.length
    }
    if (this.#isOpenStored) return true
    const text = this.#open
    const part = this.#firsts.length - 1
    if (!(await this.#put(part, text))) return false
    if (part === this.#firsts.length - 1 && text === this.#open) this.#isOpenStored = true
    return true
  }

  #notify(): void {
    const { resolve } = this.#change
    this.#change = withResolver()
    resolve()
  }
}

function countEvents(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n\n'); at !== -1; at = text.indexOf('\n\n', at + 2)) count++
  return count
}
