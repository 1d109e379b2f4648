/** What one choice of an answer says, however it was brought. */
export interface Said {
  text: string
  reasoning: string
  refusal: string
  calls: { id: string | undefined; name: string; arguments: string; extra?: unknown }[]
  finish: string | undefined
  /** The tokens with log probabilities. */
  logged: string[]
  annotations: unknown[]
  /** Places in documents of the caller's. */
  citations: unknown[]
  /** Reasoning with its signatures, and in how many deltas it came. */
  details: unknown[]
  detailDeltas: number
}

/** Token counts. */
export interface Counts {
  readonly prompt: number
  readonly completion: number
  readonly cached: number
  readonly cacheWrite: number
  readonly reasoning: number
}

/** What an answer says. */
export interface Answered {
  /** By index. */
  readonly choices: Said[]
  usage: { prompt: number; completion: number } | undefined
  /** Every count that the usage tells. */
  counts?: Counts
  /** An error in the answer's place, or in its middle. */
  error: boolean
}

export const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call']

export function nothingSaid(): Said {
  return {
    text: '',
    reasoning: '',
    refusal: '',
    calls: [],
    finish: undefined,
    logged: [],
    annotations: [],
    citations: [],
    details: [],
    detailDeltas: 0,
  }
}

/** The tokens that log probabilities tell of. */
export function loggedIn(logprobs: unknown): string[] {
  const lists = (logprobs ?? {}) as Record<'content' | 'refusal', { token: string }[] | null | undefined>
  return [...(lists.content ?? []), ...(lists.refusal ?? [])].map(({ token }) => token)
}
