/** What one choice of an answer says, however it was brought. */
export interface Said {
  text: string
  reasoning: string
  refusal: string
  calls: { id: string | undefined; name: string; arguments: string }[]
  finish: string | undefined
  /** The tokens with log probabilities. */
  logged: string[]
  annotations: unknown[]
}

/** What an answer says. */
export interface Answered {
  /** By index. */
  readonly choices: Said[]
  usage: { prompt: number; completion: number } | undefined
  /** An error in the answer's place, or in its middle. */
  error: boolean
}

export const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call']

export function nothingSaid(): Said {
  return { text: '', reasoning: '', refusal: '', calls: [], finish: undefined, logged: [], annotations: [] }
}

/** The tokens that log probabilities tell of. */
export function loggedIn(logprobs: unknown): string[] {
  const lists = (logprobs ?? {}) as Record<'content' | 'refusal', { token: string }[] | null | undefined>
  return [...(lists.content ?? []), ...(lists.refusal ?? [])].map(({ token }) => token)
}
