import type * as z from 'zod/mini'
import type { ParameterOverrides } from '../contracts/provider.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { shorten } from '../protocol/error-messages.ts'
import type { SchemaIssue } from './container-schemas.ts'
import { either, list, mapOf, object } from './container-schemas.ts'
import { decimal, flag, integer, maybe, oneOf, text } from './scalar-schemas.ts'

export const maxPairs = 16

export const maxKeyLength = 64

export const serviceTiers = ['auto', 'default', 'flex', 'scale', 'priority', 'fast'] as const

export const tokenId = /^\d{1,16}$/

const textOrTexts = 'one of a string or array of strings'

export const stopSchema = either(textOrTexts, { string: text(), array: list(text(), textOrTexts, 1, 4) })

const bias = integer(-100, 100)

export const logitBiasSchema = mapOf(bias)

/** The live profile accepts token ids only. */
export const liveLogitBiasSchema = mapOf(bias, tokenIssue)

export const metadataSchema = mapOf(text(512), pairsIssue)

export const webSearchSchema = object({
  search_context_size: maybe(oneOf(['low', 'medium', 'high'])),
  user_location: maybe(
    object({
      type: oneOf(['approximate']),
      approximate: object({
        country: maybe(text()),
        region: maybe(text()),
        city: maybe(text()),
        timezone: maybe(text()),
      }),
    }),
  ),
}) as unknown as z.ZodMiniType<JsonObject>

/** Requires keys to be token ids. */
export function tokenIssue(keys: readonly string[]): SchemaIssue | undefined {
  const key = keys.find(token => !tokenId.test(token))
  return key === undefined ? undefined : noToken(key)
}

/** Allows at most 16 pairs, with keys of at most 64 characters. */
export function pairsIssue(keys: readonly string[]): SchemaIssue | undefined {
  if (keys.length > maxPairs) return tooManyPairs(keys.length)
  const long = keys.find(key => key.length > maxKeyLength)
  return long === undefined ? undefined : keyTooLong(long)
}

function noToken(key: string): SchemaIssue {
  return {
    reason: 'invalid_value',
    message: path =>
      `Invalid property name in '${path}': '${shorten(key)}'. Expected the id of a token: a whole number.`,
  }
}

function tooManyPairs(count: number): SchemaIssue {
  return {
    reason: 'object_above_max_properties',
    message: path =>
      `Invalid '${path}': too many properties. Expected an object with at most ${maxPairs} properties, but got an object with ${count} properties instead.`,
  }
}

function keyTooLong(key: string): SchemaIssue {
  return {
    reason: 'property_name_above_max_length',
    message: path =>
      `Invalid property name in '${path}': '${shorten(key)}' is too long. Expected a string with maximum length ${maxKeyLength}, but got a string with length ${key.length} instead.`,
    param: path => `${path}.${shorten(key)}`,
  }
}

/** A schema for each parameter that a target may override. */
type SettingSchemas = {
  readonly [K in keyof ParameterOverrides]-?: z.ZodMiniType<NonNullable<ParameterOverrides[K]>>
}

const maxInteger = Number.MAX_SAFE_INTEGER

/**
 * Returns the schemas of parameters.
 *
 * @param live - whether to apply the limits of hosted services.
 */
export function settingSchemas(live: boolean): SettingSchemas {
  return {
    parallel_tool_calls: flag(),
    max_completion_tokens: integer(live ? 1 : 0, maxInteger),
    temperature: decimal(0, 2),
    top_p: decimal(0, 1),
    presence_penalty: decimal(-2, 2),
    frequency_penalty: decimal(-2, 2),
    logit_bias: live ? liveLogitBiasSchema : logitBiasSchema,
    stop: stopSchema,
    user: text(),
    seed: integer(-maxInteger, maxInteger),
    safety_identifier: text(64),
    prompt_cache_key: live ? text(64) : text(),
    prompt_cache_retention: oneOf(['in_memory', 'in-memory', '24h']),
    service_tier: oneOf(serviceTiers),
    store: flag(),
    metadata: metadataSchema,
    verbosity: oneOf(['low', 'medium', 'high']),
    reasoning_effort: oneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
    web_search_options: webSearchSchema,
  }
}
