/** A part of a text, from `start` to before `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Finds the values of one kind. What it finds depends on the text around a value only, not on where the search began. */
export interface Finder {
  /** The length of the longest value, in UTF-16 code units, with what must be read around it. */
  readonly maxLength: number
  /** Returns the first value that begins at `from` or later. Takes time that is linear in the part of the text that it reads. */
  next(text: string, from: number): Span | undefined
  /**
   * For values that may be longer than `maxLength`, which is then enough to recognize one: returns where a value ends that began with
   * `passed` before the text.
   */
  continued?(text: string, passed: string): number
  /** Returns a short text that means the same to `continued`. */
  shortened?(passed: string): string
}

/** A value that was found, and by which finder. */
export interface FoundValue extends Span {
  readonly finder: Finder
}

/** Yields the values in a text, from left to right: of two that overlap, the one that begins first, or whose finder comes first. */
export function* findValues(
  text: string,
  finders: readonly Finder[],
  from = 0,
): Generator<FoundValue, undefined, undefined> {
  const next: (Span | undefined)[] = finders.map(finder => finder.next(text, from))
  for (let at = from; ; ) {
    let first = -1
    for (let index = 0; index < finders.length; index++) {
      let span = next[index]
      if (span !== undefined && span.start < at) {
        span = finders[index]!.next(text, at)
        next[index] = span
      }
      if (span !== undefined && (first === -1 || span.start < next[first]!.start)) first = index
    }
    if (first === -1) return
    const { start, end } = next[first]!
    yield { start, end, finder: finders[first]! }
    at = end
  }
}
