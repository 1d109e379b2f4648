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
  /** Hints that the vendor is known to reject: left out, for they promise nothing about the answer. */
  readonly drop?: readonly string[]
  /**
   * Fields that the vendor lacks and that change the answer: refused with 400, unless their value asks for
   * nothing (`n: 1`, `logprobs: false`, an empty `logit_bias`).
   */
  readonly refuse?: readonly string[]
  /** `false` where messages may not carry `name`. Default true. */
  readonly messageNames?: boolean
  /**
   * `strict` where the vendor rejects message fields that it does not know: what an earlier answer carried
   * beside its text and calls is then not sent back. Default `any`.
   */
  readonly messageFields?: 'any' | 'strict'
  /** `system` where the vendor has no role `developer`, which says the same. Default `developer`. */
  readonly developerRole?: 'developer' | 'system'
  /** What the vendor calls `tool_choice: 'required'`. */
  readonly requiredToolChoice?: string
  /** The form of a tool call's id, where the vendor insists on one: nine letters and digits. */
  readonly toolCallIds?: 'nine-alphanumerics'
}
