import type { ChatRequest } from '@sluice/core/provider'
import type { ParameterAdjuster } from './adjusting.ts'

type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] }

/** Every parameter of the protocol that a vendor may have, lack, or call something else. */
export type ParameterName = Exclude<
  KnownKeys<ChatRequest>,
  'model' | 'messages' | 'stream' | 'stream_options'
>

/**
 * What a vendor does with one parameter. `passed`: as it is, at most under another name. `mapped`: in its own
 * terms. `dropped`: a hint that it lacks, left out and told of. `refused`: it lacks it, and the answer would be
 * another: 400.
 */
export interface ParameterRule {
  readonly handling: 'passed' | 'mapped' | 'dropped' | 'refused'
  /** The vendor's own name or terms for it, such as `maxOutputTokens`. */
  readonly as?: string
  /** What else has to be known of it, in a few words: for the documentation. */
  readonly note?: string
}

/** What a vendor does with every parameter of the protocol. The documentation's table is made of it. */
export type ParameterRules = Readonly<Record<ParameterName, ParameterRule>>

const common: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'stream_options'])

/**
 * Tells of, or refuses, what the rules say the vendor lacks; what is passed or mapped is the encoder's. Fields
 * that the protocol does not know are left out and told of, but for the vendor's own, which are in `native`.
 *
 * Throws `GatewayError` (400, `unsupported_parameter`).
 */
export function applyRules(
  input: ChatRequest,
  rules: ParameterRules,
  native: readonly string[],
  adjusting: ParameterAdjuster,
): void {
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || value === null || common.has(name) || native.includes(name)) continue
    const rule = Object.hasOwn(rules, name) ? rules[name as ParameterName] : undefined
    if (rule === undefined) adjusting.drop(name, 'not known to this vendor')
    else if (rule.handling === 'dropped' && !asksForNothing(name, value)) adjusting.drop(name)
    else if (rule.handling === 'refused' && !asksForNothing(name, value)) adjusting.unsupported(name)
  }
}

/** Values that ask for nothing: what a vendor does anyway. */
const neutral: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: value => value === 1,
  logprobs: value => value === false,
  top_logprobs: value => value === 0,
  logit_bias: value => typeof value === 'object' && value !== null && Object.keys(value).length === 0,
  presence_penalty: value => value === 0,
  frequency_penalty: value => value === 0,
  modalities: value => Array.isArray(value) && value.every(modality => modality === 'text'),
  parallel_tool_calls: value => value === true,
  tool_choice: value => value === 'auto',
  service_tier: value => value === 'auto',
  store: value => value === false,
  response_format: value => (value as { type?: unknown } | null)?.type === 'text',
}

/** Whether a parameter's value asks for nothing: then leaving it out changes nothing. */
export function asksForNothing(parameter: string, value: unknown): boolean {
  return value === undefined || value === null || neutral[parameter]?.(value) === true
}
