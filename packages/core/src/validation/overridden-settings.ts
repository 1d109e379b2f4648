import type { ExtensionRewrite } from '../contracts/dialect.ts'
import type { EmbedRequest } from '../contracts/embedding.ts'
import type { Adjustment, ParameterOverrides, Target } from '../contracts/provider.ts'
import { ChatGenerateRequest } from '../conversation/chat-generate-request.ts'
import type { GenerateRequest, Settings } from '../conversation/generate-request.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
  unknownOption,
} from '../errors/configuration-error.ts'
import type { GatewayError } from '../errors/errors.ts'
import { checkFields, type Fields, fieldsFrom } from './check-fields.ts'
import { settingSchemas } from './settings-schema.ts'

/** A request for a target, and the adjustments made. */
interface OverriddenRequest {
  readonly request: GenerateRequest
  readonly adjustments: readonly Adjustment[]
}

/** Settings with the parameters of a target, and the adjustments made. */
interface OverriddenSettings<T> {
  readonly settings: T
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

const notSent = 'not sent to this model'

/** Created on first use, because it takes milliseconds. */
let settings: Fields | undefined

/** Parameters that were validated. */
const validated = new WeakSet<ParameterOverrides>()

/** Overrides the parameters of a request with those of a target. See `overrideSettings`. */
function overrideRequest(request: GenerateRequest, parameters: ParameterOverrides): OverriddenRequest {
  const { settings, adjustments } = overrideSettings(request.settings(), parameters)
  const inCallersWords = adjustments.map(adjustment => ({
    ...adjustment,
    parameter: request.pathOf(adjustment.parameter),
  }))
  return { request: request.withSettings(settings), adjustments: inCallersWords }
}

/**
 * Overrides settings with the parameters of a target. A maximum output is lowered, but never raised. Throws
 * `ConfigurationError` for invalid parameters.
 */
export function overrideSettings<T extends Settings>(
  given: T,
  parameters: ParameterOverrides,
): OverriddenSettings<T> {
  const issue = validated.has(parameters) ? undefined : overridesIssue(parameters)
  if (issue !== undefined) throw new ConfigurationError("A target's parameters", [issue])
  validated.add(parameters)
  const fields: Record<string, unknown> = { ...given }
  const adjustments: Adjustment[] = []
  for (const [field, value] of Object.entries(parameters)) {
    const bound = field === 'max_completion_tokens'
    const name = bound ? boundOf(given) : field
    const own = fields[name]
    if (value === undefined || value === own || (bound && !lowers(value, own))) continue
    if (value !== null) {
      fields[name] = value
      const isReported = isReportable[field as keyof ParameterOverrides]
      adjustments.push({ parameter: name, action: 'mapped', ...(isReported && { detail: String(value) }) })
    } else if (own !== undefined) {
      delete fields[name]
      adjustments.push({ parameter: name, action: 'dropped', detail: notSent })
    }
  }
  return { settings: fields as T, adjustments }
}

const rewriteKey = Symbol('rewrite')

/** Returns a copy of a target whose requests are rewritten. */
export function targetWithRewrite<T extends Target>(target: T, rewrite: ExtensionRewrite): T {
  return { ...target, [rewriteKey]: rewrite }
}

/** Returns the request for a target: rewritten, and with the target's parameters. `undefined`: the request as it is. */
export function requestFor(request: GenerateRequest, target: Target): OverriddenRequest | undefined {
  const { parameters, [rewriteKey]: rewrite } = target as Target & {
    readonly [rewriteKey]?: ExtensionRewrite
  }
  if (rewrite === undefined)
    return parameters === undefined ? undefined : overrideRequest(request, parameters)
  const { input, adjustments } = rewrite(request.chat())
  const rewritten = new ChatGenerateRequest(input, request.body)
  if (parameters === undefined) return { request: rewritten, adjustments }
  const overridden = overrideRequest(rewritten, parameters)
  return { request: overridden.request, adjustments: [...adjustments, ...overridden.adjustments] }
}

/** Returns the request for embeddings for a target: with its `user`, as no other of its parameters is one of embeddings. */
export function embedRequestFor(
  request: EmbedRequest,
  { parameters }: Target,
): { readonly request: EmbedRequest; readonly adjustments: readonly Adjustment[] } {
  const user = parameters?.user
  if (user === undefined || (user ?? undefined) === request.user) return { request, adjustments: none }
  const adjustment: Adjustment =
    user === null
      ? { parameter: 'user', action: 'dropped', detail: notSent }
      : { parameter: 'user', action: 'mapped' }
  return { request: { ...request, user: user ?? undefined }, adjustments: [adjustment] }
}

const none: readonly Adjustment[] = Object.freeze([])

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
function boundOf(given: Settings): 'max_tokens' | 'max_completion_tokens' {
  const older = given.max_tokens !== undefined && given.max_completion_tokens === undefined
  return older ? 'max_tokens' : 'max_completion_tokens'
}

function lowers(value: unknown, given: unknown): boolean {
  return typeof value === 'number' && (typeof given !== 'number' || value < given)
}
