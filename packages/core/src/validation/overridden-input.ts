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

const adaptation = Symbol('adaptation')

/** Adapts a request to a target for which it is not valid as it is. */
export type Adaptation = (input: ChatRequest) => OverriddenInput

/** Returns a target that gets adapted requests, with what the adaptation dropped and mapped as adjustments. */
export function adaptedTarget<T extends Target>(target: T, adapt: Adaptation): T {
  return { ...target, [adaptation]: adapt }
}

/** Returns the request for a target: adapted, and with its parameters. `undefined`: the request as it is. */
export function inputFor(input: ChatRequest, target: Target): OverriddenInput | undefined {
  const { parameters, [adaptation]: adapt } = target as Target & { readonly [adaptation]?: Adaptation }
  const adapted = adapt?.(input)
  if (parameters === undefined) return adapted
  const overridden = overrideInput(adapted?.input ?? input, parameters)
  if (adapted === undefined) return overridden
  return { input: overridden.input, adjustments: [...adapted.adjustments, ...overridden.adjustments] }
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
