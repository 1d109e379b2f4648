/**
 * Keeps texts for a time, by keys: the answers of a cache, and what became of requests with an idempotency key. Keys and
 * texts are well-formed Unicode of one character at least; a `ttlMs` is a number of milliseconds above 0.
 *
 * Every operation is one atomic step. A store may forget a text before its time, to make room: what is forgotten is
 * answered anew. It never gives back another text than it was given.
 *
 * The conformance suite of `@sluice/testing` says all of it in tests: `answerStoreConformance`.
 */
export interface AnswerStore {
  /** What is kept; `undefined` where nothing is. */
  get(key: string): string | undefined | Promise<string | undefined>
  /** Keeps a text, in place of what is kept. */
  set(key: string, text: string, ttlMs: number): void | Promise<void>
  /** Keeps a text where nothing is kept, and gives `undefined`; gives what is kept where something is. */
  add(key: string, text: string, ttlMs: number): string | undefined | Promise<string | undefined>
  /**
   * Keeps `text` in place of `kept`, or nothing where it is `undefined`. Where anything else is kept, or nothing is, it
   * changes nothing. Gives whether `kept` was there.
   */
  replace(key: string, kept: string, text: string | undefined, ttlMs: number): boolean | Promise<boolean>
}

/** What became of an operation of a store. */
export type StoreOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown }

/** A store that answers in time or is done without: its operations neither throw nor reject. */
export interface WatchedAnswers {
  get(key: string): Promise<StoreOutcome<string | undefined>>
  set(key: string, text: string, ttlMs: number): Promise<StoreOutcome<void>>
  /** What was added too late for that to be heard is taken back. */
  add(key: string, text: string, ttlMs: number): Promise<StoreOutcome<string | undefined>>
  replace(key: string, kept: string, text: string | undefined, ttlMs: number): Promise<StoreOutcome<boolean>>
}
