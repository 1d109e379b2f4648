import type { Adjustment, ParameterOverrides, Target } from '../contracts/provider.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
  unknownOption,
} from '../errors/configuration-error.ts'
import type { GatewayError } from '../errors/errors.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { checkFields, type Fields, fieldsFrom } from './check-fields.ts'
import { settingSchemas } from './settings-schema.ts'

/** A request with the parameters of a target, and the adjustments made. */
export interface OverriddenInput {
  readonly input: ChatRequest
  readonly adjustments: readonly Adjustment[]
}

/** The fields that a target may override, and whether adjustments may show their values. */
const isReportable: Readonly<Record<keyof ParameterOverrides, boolean>> = {
  temperature: true,
  top_p: true,
  max_completion_tokens: true,
  stop: false,
  presence_penalty: true,
  frequency_penalty: true,
  logit_bias: false,
  seed: true,
  parallel_tool_calls: true,
  reasoning_effort: true,
  verbosity: true,
  service_tier: true,
  metadata: false,
  store: true,
  user: false,
  safety_identifier: false,
  prompt_cache_key: false,
  prompt_cache_retention: true,
  web_search_options: false,
}

/** Created on first use, because it takes milliseconds. */
let settings: Fields | undefined

/** Parameters that were validated. */
const validated = new WeakSet<ParameterOverrides>()

/**
 * Overrides the parameters of a request with those of a target. A maximum output is lowered, but never raised. Throws
 * `ConfigurationError` for invalid parameters.
 */
export function overrideInput(input: ChatRequest, parameters: ParameterOverrides): OverriddenInput {
  const issue = validated.has(parameters) ? undefined : overridesIssue(parameters)
  if (issue !== undefined) throw new ConfigurationError("A target's parameters", [issue])
  validated.add(parameters)
  const fields: Record<string, unknown> = { ...input }
  const adjustments: Adjustment[] = []
  for (const [field, value] of Object.entries(parameters)) {
    const bound = field === 'max_completion_tokens'
    const name = bound ? boundOf(input) : field
    const given = fields[name]
    if (value === undefined || value === given || (bound && !lowers(value, given))) continue
    if (value !== null) {
      fields[name] = value
      const isReported = isReportable[field as keyof ParameterOverrides]
      adjustments.push({ parameter: name, action: 'mapped', ...(isReported && { detail: String(value) }) })
    } else if (given !== undefined) {
      delete fields[name]
      adjustments.push({ parameter: name, action: 'dropped', detail: 'not sent to this model' })
    }
  }
  return { input: fields as ChatRequest, adjustments }
}

const rewriteKey = Symbol('rewrite')

/** Changes a request for a target whose provider cannot get it as it is. */
export type InputRewrite = (input: ChatRequest) => OverriddenInput

/** Returns a copy of a target whose requests are rewritten. */
export function targetWithRewrite<T extends Target>(target: T, rewrite: InputRewrite): T {
  return { ...target, [rewriteKey]: rewrite }
}

/** Returns the request for a target: rewritten, and with the target's parameters. `undefined`: the request as it is. */
export function inputFor(input: ChatRequest, target: Target): OverriddenInput | undefined {
  const { parameters, [rewriteKey]: rewrite } = target as Target & { readonly [rewriteKey]?: InputRewrite }
  const rewritten = rewrite?.(input)
  if (parameters === undefined) return rewritten
  const overridden = overrideInput(rewritten?.input ?? input, parameters)
  if (rewritten === undefined) return overridden
  return { input: overridden.input, adjustments: [...rewritten.adjustments, ...overridden.adjustments] }
}

/** Returns the issue of invalid parameters of a target, or `undefined`. */
export function overridesIssue(parameters: ParameterOverrides): ConfigurationIssue | undefined {
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
    return configurationIssue([], parameters, 'an object, such as { temperature: 0 }')
  }
  const given: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(parameters)) {
    if (!Object.hasOwn(isReportable, field)) {
      return unknownOption([field], value, Object.keys(isReportable))
    }
    if (field === 'max_completion_tokens' && value === null) {
      return configurationIssue(
        [field],
        value,
        'a number: the maximum output can be lowered, but not removed',
      )
    }
    if (value !== null && value !== undefined) given[field] = value
  }
  try {
    settings ??= fieldsFrom(settingSchemas(false))
    checkFields(given, settings)
    return undefined
  } catch (error) {
    const { param, message } = error as GatewayError
    const field = Object.keys(given).find(name => param?.split(/[.[]/)[0] === name) ?? ''
    return configurationIssue([field], given[field], `a valid request parameter: ${message}`)
  }
}

/** Returns the name of the maximum output in the request. */
function boundOf(input: ChatRequest): 'max_tokens' | 'max_completion_tokens' {
  const older = input.max_tokens !== undefined && input.max_completion_tokens === undefined
  return older ? 'max_tokens' : 'max_completion_tokens'
}

function lowers(value: unknown, given: unknown): boolean {
  return typeof value === 'number' && (typeof given !== 'number' || value < given)
}
