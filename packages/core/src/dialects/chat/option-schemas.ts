import type * as z from 'zod/mini'
import type { JsonObject, ResponseFormat } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/wording.ts'
import {
  anyObject,
  either,
  type Fault,
  list,
  mapOf,
  object,
  tagged,
  where,
} from '../../validation/expect-containers.ts'
import { flag, integer, maybe, name, nullable, oneOf, only, text } from '../../validation/expect-scalars.ts'
import { textParts } from './message-schema.ts'

export const maxPairs = 16
export const maxKeyLength = 64
export const tokenId = /^\d{1,16}$/
const textOrObject = 'one of a string or object'
const textOrTexts = 'one of a string or array of strings'

export const responseFormatSchema = tagged('type', {
  text: object({ type: only('text') }),
  json_object: object({ type: only('json_object') }),
  json_schema: object({
    type: only('json_schema'),
    json_schema: object({
      name: name(),
      description: maybe(text()),
      schema: maybe(anyObject()),
      strict: maybe(nullable(flag())),
    }),
  }),
}) satisfies z.ZodMiniType<ResponseFormat>

export const stopSchema = either(textOrTexts, { string: text(), array: list(text(), textOrTexts, 1, 4) })

export const streamOptionsSchema = object({
  include_usage: maybe(flag()),
  include_obfuscation: maybe(flag()),
})

/** The live profile knows no other members. */
export const liveStreamOptionsSchema = where(streamOptionsSchema, unknownOptionFault)

const bias = integer(-100, 100)

export const logitBiasSchema = mapOf(bias)

/** The live profile takes token ids only. */
export const liveLogitBiasSchema = mapOf(bias, tokenFault)

export const metadataSchema = mapOf(text(512), pairsFault)

export const promptCacheOptionsSchema = object({
  mode: maybe(oneOf(['implicit', 'explicit'])),
  ttl: maybe(text()),
}) as unknown as z.ZodMiniType<JsonObject>

export const audioSchema = object({
  voice: either(textOrObject, { string: text(), object: object({ id: text() }) }),
  format: oneOf(['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16']),
})

export const predictionSchema = object({
  type: oneOf(['content']),
  content: either('one of a string or array of objects', { string: text(), array: textParts }),
})

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

export const moderationSchema = object({ model: text() }) as unknown as z.ZodMiniType<JsonObject>

/** Only the members that the schema names. */
export function unknownOptionFault(options: object): Fault | undefined {
  const unknown = Object.keys(options).find(key => key !== 'include_usage' && key !== 'include_obfuscation')
  return unknown === undefined ? undefined : unknownMember(unknown)
}

/** Keys that are ids of tokens. */
export function tokenFault(keys: readonly string[]): Fault | undefined {
  const key = keys.find(token => !tokenId.test(token))
  return key === undefined ? undefined : noToken(key)
}

/** At most 16 pairs, with keys of at most 64 characters. */
export function pairsFault(keys: readonly string[]): Fault | undefined {
  if (keys.length > maxPairs) return tooManyPairs(keys.length)
  const long = keys.find(key => key.length > maxKeyLength)
  return long === undefined ? undefined : keyTooLong(long)
}

function unknownMember(key: string): Fault {
  return {
    refusal: 'unknown_parameter',
    message: path => `Unknown parameter: '${path}.${shorten(key)}'.`,
    param: path => `${path}.${shorten(key)}`,
  }
}

function noToken(key: string): Fault {
  return {
    refusal: 'invalid_value',
    message: path =>
      `Invalid property name in '${path}': '${shorten(key)}'. Expected the id of a token: a whole number.`,
  }
}

function tooManyPairs(count: number): Fault {
  return {
    refusal: 'object_above_max_properties',
    message: path =>
      `Invalid '${path}': too many properties. Expected an object with at most ${maxPairs} properties, but got an object with ${count} properties instead.`,
  }
}

function keyTooLong(key: string): Fault {
  return {
    refusal: 'property_name_above_max_length',
    message: path =>
      `Invalid property name in '${path}': '${shorten(key)}' is too long. Expected a string with maximum length ${maxKeyLength}, but got a string with length ${key.length} instead.`,
    param: path => `${path}.${shorten(key)}`,
  }
}
