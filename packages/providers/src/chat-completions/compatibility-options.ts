import type { Capabilities, RequestExtension } from '@sluice/core/provider'
import { embeddingCapabilities } from '../embeddings/embedding-models.ts'

/** How a server differs from OpenAI's chat completions API. */
export interface CompatibilityOptions {
  /**
   * The field for the maximum output tokens; a value under the other name is renamed to it. `by-model` (default):
   * `max_completion_tokens` for a target with the capability `reasoning`, else `max_tokens`.
   */
  readonly maxTokensParameter?: 'max_tokens' | 'max_completion_tokens' | 'by-model'
  /** `false` if the server rejects `stream_options` and sends usage in streams anyway. Default true. */
  readonly streamOptions?: boolean
  /** The server's names of fields, by the name in OpenAI's API: `{ seed: 'random_seed' }`. */
  readonly rename?: Readonly<Record<string, string>>
  /**
   * Hints that the server rejects: fields such as `user` or `metadata`, which do not change the response. They are dropped and
   * reported as adjustments.
   */
  readonly drop?: readonly string[]
  /**
   * Fields that the server does not support and that change the response. The gateway rejects them with 400, or drops and
   * reports them if `unsupportedParameters` is `drop`. A neutral value (`n: 1`, `logprobs: false`, an empty
   * `logit_bias`) is omitted without a report.
   */
  readonly refuse?: readonly string[]
  /** `false` if messages may not have a `name`. Default true. */
  readonly messageNames?: boolean
  /**
   * `strict` if the server rejects unknown fields in assistant messages: extra fields of earlier responses are then not
   * sent back. Default `any`.
   */
  readonly messageFields?: 'any' | 'strict'
  /**
   * The extra fields that the server accepts on messages, parts and tools: `reasoning_content`, `reasoning_details`,
   * `extra_content`, `cache_control`, `citations` and others. Of these five, those not in the list are dropped and
   * reported; `provider_specific_fields` of earlier answers are dropped unless they are in the list. Default: none if
   * `messageFields` is `strict`, else any.
   */
  readonly extensions?: readonly string[]
  /**
   * What the server accepts in requests beyond the protocol: it gets these values unchanged. Targets that do not accept
   * them are skipped. Callers with limits or a model list may not use `server_tools` without `allowFields`. Default: none.
   */
  readonly accepts?: readonly RequestExtension[]
  /** The server's name for `reasoning_content` in request messages, such as `reasoning`. Default: the same name. */
  readonly reasoningField?: string
  /** `system` if the server does not support the role `developer`. Default `developer`. */
  readonly developerRole?: 'developer' | 'system'
  /** The server's value for `tool_choice: 'required'`. Default `required`. */
  readonly requiredToolChoice?: string
  /** The values of `reasoning_effort` that the server takes. Others are rejected with 400, or dropped and reported. Default: all. */
  readonly reasoningEfforts?: readonly string[]
  /** The format of tool call ids that the server requires: nine letters and digits. Default: any format. */
  readonly toolCallIds?: 'nine-alphanumerics'
}

/** OpenAI's own API. It answers 400 `unknown_parameter` to unknown fields in messages. */
export const openaiCompatibility = { messageFields: 'strict' } as const satisfies CompatibilityOptions

/**
 * Returns the capabilities that OpenAI's model names show: o1, o3, gpt-5 and later reason; their chat models do not.
 * Embedding models embed.
 */
export function capabilitiesByName(model: string): Capabilities | undefined {
  if (/^(?:ft:)?(?:o[1-9]|gpt-[5-9])(?![\d.]*-chat)/.test(model)) return { reasoning: true }
  return embeddingCapabilities(model)
}
