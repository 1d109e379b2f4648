import type { ChatRequest } from '@sluice/core/provider'
import type { ParameterAdjuster } from './parameter-adjuster.ts'

type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] }

/** The parameters of the protocol whose support differs by provider. */
export type ParameterName = Exclude<
  KnownKeys<ChatRequest>,
  'model' | 'messages' | 'stream' | 'stream_options'
>

/**
 * How a provider handles one parameter. `passed`: sent unchanged, at most under another name. `mapped`: sent as its
 * equivalent. `dropped`: an unsupported hint, dropped and reported. `refused`: unsupported, and the answer would differ:
 * 400.
 */
export interface ParameterRule {
  readonly handling: 'passed' | 'mapped' | 'dropped' | 'refused'
  /** The provider's name or equivalent, such as `maxOutputTokens`. */
  readonly as?: string
  /** A short note for the documentation. */
  readonly note?: string
}

/** How a provider handles every parameter. The table in the documentation is generated from it. */
export type ParameterRules = Readonly<Record<ParameterName, ParameterRule>>

const common: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'stream_options'])

/**
 * Drops or refuses the parameters that the rules say; the encoder handles those that are passed or mapped. Fields
 * outside the protocol are dropped and reported, unless they are in `native`, the provider's own fields.
 *
 * Throws `GatewayError` (400, `unsupported_parameter`).
 */
export function applyRules(
  input: ChatRequest,
  rules: ParameterRules,
  native: readonly string[],
  adjuster: ParameterAdjuster,
): void {
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || value === null || common.has(name) || native.includes(name)) continue
    const rule = Object.hasOwn(rules, name) ? rules[name as ParameterName] : undefined
    if (rule === undefined) adjuster.drop(name, 'not known to this vendor')
    else if (rule.handling === 'dropped' && !isNeutralValue(name, value)) adjuster.drop(name)
    else if (rule.handling === 'refused' && !isNeutralValue(name, value)) adjuster.unsupported(name)
  }
}

/** Neutral values: providers do the same without the parameter. */
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

/** Whether a value is neutral: to omit the parameter changes nothing. */
export function isNeutralValue(parameter: string, value: unknown): boolean {
  return value === undefined || value === null || neutral[parameter]?.(value) === true
}
