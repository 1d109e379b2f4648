import type { Capabilities } from '@sluice/core/provider'

/** How a vendor's requests differ from the protocol: data, nothing else. */
export interface Dialect {
  /**
   * The field that bounds the length of an answer; what the caller sent under the other name is sent under
   * this one. `by-model` (default): `max_completion_tokens` for a target with the capability `reasoning`,
   * `max_tokens` for any other.
   */
  readonly maxTokensParameter?: 'max_tokens' | 'max_completion_tokens' | 'by-model'
  /** `false` where the vendor rejects `stream_options`; its streams then count tokens by themselves. Default true. */
  readonly streamOptions?: boolean
  /** Fields that have another name there, and that name. */
  readonly rename?: Readonly<Record<string, string>>
  /** Hints that the vendor is known to reject: left out and told of, for they promise nothing about the answer. */
  readonly drop?: readonly string[]
  /**
   * Fields that the vendor lacks and that change the answer: refused with 400, or left out and told of where the
   * gateway's `unsupportedParameters` is `drop`. A value that asks for nothing (`n: 1`, `logprobs: false`, an
   * empty `logit_bias`) is left out without a word.
   */
  readonly refuse?: readonly string[]
  /** `false` where messages may not carry `name`. Default true. */
  readonly messageNames?: boolean
  /**
   * `strict` where the vendor rejects fields of an assistant's message that it does not know: what an earlier
   * answer carried beside its text and calls is then not sent back. Default `any`.
   */
  readonly messageFields?: 'any' | 'strict'
  /**
   * The fields beyond the protocol that the vendor takes on messages, their parts and tools, such as
   * `reasoning_content`, `reasoning_details`, `extra_content`, `cache_control` and `citations`. Those of these five
   * that are not in the list are left out and told of. Default: none where `messageFields` is `strict`, else any.
   */
  readonly extensions?: readonly string[]
  /** What the vendor calls `reasoning_content` in messages that it gets, where it goes by another name: `reasoning`. */
  readonly reasoningField?: string
  /** `system` where the vendor has no role `developer`, which says the same. Default `developer`. */
  readonly developerRole?: 'developer' | 'system'
  /** What the vendor calls `tool_choice: 'required'`. */
  readonly requiredToolChoice?: string
  /** The form of a tool call's id, where the vendor insists on one: nine letters and digits. */
  readonly toolCallIds?: 'nine-alphanumerics'
}

/** OpenAI's own: the protocol itself. It answers 400 `unknown_parameter` to members of messages that it does not know. */
export const openaiDialect = { messageFields: 'strict' } as const satisfies Dialect

/** What OpenAI's names say of its models: o1, o3, gpt-5 and so on reason, the chat models among them do not. */
export function capabilitiesByName(model: string): Capabilities | undefined {
  return /^(?:ft:)?(?:o[1-9]|gpt-[5-9])(?![\d.]*-chat)/.test(model) ? { reasoning: true } : undefined
}
