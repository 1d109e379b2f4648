import type { Adjustment, ParameterOverrides } from '../contracts/provider.ts'
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

/** A request as one target is asked it, and what is different for that. */
export interface OverriddenInput {
  readonly input: ChatRequest
  readonly adjustments: readonly Adjustment[]
}

/** Fields that a target may have of its own, and whether their values say nothing but themselves: those are told. */
const tellable: Readonly<Record<keyof ParameterOverrides, boolean>> = {
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

/** Made when first asked for: it takes milliseconds. */
let settings: Fields | undefined

/** Those that were found sound. */
const sound = new WeakSet<ParameterOverrides>()

/**
 * A request with a target's own parameters in the place of the caller's. A bound of the answer is lowered and never
 * raised. Throws `ConfigurationError` for parameters that a request cannot have.
 */
export function overrideInput(input: ChatRequest, parameters: ParameterOverrides): OverriddenInput {
  const issue = sound.has(parameters) ? undefined : overridesIssue(parameters)
  if (issue !== undefined) throw new ConfigurationError("A target's parameters", [issue])
  sound.add(parameters)
  const fields: Record<string, unknown> = { ...input }
  const adjustments: Adjustment[] = []
  for (const [field, value] of Object.entries(parameters)) {
    const bound = field === 'max_completion_tokens'
    const name = bound ? boundOf(input) : field
    const given = fields[name]
    if (value === undefined || value === given || (bound && !lowers(value, given))) continue
    if (value !== null) {
      fields[name] = value
      const told = tellable[field as keyof ParameterOverrides]
      adjustments.push({ parameter: name, action: 'mapped', ...(told && { detail: String(value) }) })
    } else if (given !== undefined) {
      delete fields[name]
      adjustments.push({ parameter: name, action: 'dropped', detail: 'not sent to this model' })
    }
  }
  return { input: fields as ChatRequest, adjustments }
}

/** What is wrong with a target's own parameters; `undefined` where nothing is. */
export function overridesIssue(parameters: ParameterOverrides): ConfigurationIssue | undefined {
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
    return configurationIssue([], parameters, 'an object, such as { temperature: 0 }')
  }
  const given: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(parameters)) {
    if (!Object.hasOwn(tellable, field)) {
      return unknownOption([field], value, Object.keys(tellable))
    }
    if (field === 'max_completion_tokens' && value === null) {
      return configurationIssue(
        [field],
        value,
        'a number: the bound of an answer is lowered and never raised',
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
    return configurationIssue([field], given[field], `what a request may have: ${message}`)
  }
}

/** The name by which the caller bounds the answer. */
function boundOf(input: ChatRequest): 'max_tokens' | 'max_completion_tokens' {
  const older = input.max_tokens !== undefined && input.max_completion_tokens === undefined
  return older ? 'max_tokens' : 'max_completion_tokens'
}

function lowers(value: unknown, given: unknown): boolean {
  return typeof value === 'number' && (typeof given !== 'number' || value < given)
}
