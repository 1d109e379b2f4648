import type { FinishReason, PartialUsage } from '@sluice/core'

/** One choice of an answer, in the pieces in which it is streamed. */
export interface AnswerChoice {
  readonly reasoning?: readonly string[]
  /** Absent: the message has no content, as when a tool is called. */
  readonly content?: readonly string[]
  readonly refusal?: readonly string[]
  readonly calls?: readonly AnswerCall[]
  /** The deprecated form of a call. */
  readonly functionCall?: { readonly name: string; readonly input: readonly string[] }
  readonly finishReason: FinishReason
}

export interface AnswerCall {
  readonly type: 'function' | 'custom'
  readonly id: string
  readonly name: string
  readonly input: readonly string[]
}

/** What the local provider answers, before it is written as JSON or as a stream. */
export interface Completion {
  readonly choices: readonly AnswerChoice[]
  /** `null`: none is sent. */
  readonly usage: PartialUsage | null
  /** How many alternatives are listed for each token; absent: no log probabilities are sent. */
  readonly topLogprobs?: number
}
