/** What goes wrong in the middle of an answer, after so many of its pieces. */
export interface Mishap {
  /**
   * `cut`: the connection ends, as a socket that is reset. `malformed`: an event that is no JSON, then the end.
   * `hang`: nothing more comes. `error`: an event with an error, then the end.
   */
  readonly kind: 'cut' | 'malformed' | 'hang' | 'error'
  /** Below 0: at once. In an answer with fewer pieces: before its end. */
  readonly after: number
  /** The body of the error. */
  readonly error?: string
}
