/** A call that a model made, in an earlier turn or now. */
export interface CallOfTool {
  readonly name: string
  readonly input: object
}

/** What a vendor's request says in one turn, in words that fit every vendor. */
export interface HeardTurn {
  readonly role: 'user' | 'assistant'
  readonly texts: readonly string[]
  readonly calls: readonly CallOfTool[]
  /** What the tools answered, as text. */
  readonly results: readonly string[]
  /** Images and files: `image/png of 70 bytes`. */
  readonly attached: readonly string[]
}

/** What a vendor's request says, in words that fit every vendor. */
export interface Heard {
  readonly system: readonly string[]
  readonly turns: readonly HeardTurn[]
  /** The tools that may be called now, each with the schema of its input. */
  readonly tools: ReadonlyMap<string, object>
  /** Whether one of them has to be called. */
  readonly mustCall: boolean
  /** The schema that the answer has to follow; `{}` for any JSON object. */
  readonly schema: object | undefined
  readonly stop: readonly string[]
  readonly maxTokens: number | undefined
  readonly thinks: boolean
}

/** An image or a file in words. */
export function dataInWords(mediaType: string, base64: string): string {
  return `${mediaType} of ${Buffer.from(base64, 'base64').length} bytes`
}

/** Neighbours of one role as one turn, for `reduce`. */
export function joined(turns: HeardTurn[], turn: HeardTurn): HeardTurn[] {
  const last = turns.at(-1)
  if (last?.role !== turn.role) return [...turns, turn]
  const both = {
    role: turn.role,
    texts: [...last.texts, ...turn.texts],
    calls: [...last.calls, ...turn.calls],
    results: [...last.results, ...turn.results],
    attached: [...last.attached, ...turn.attached],
  }
  return [...turns.slice(0, -1), both]
}
