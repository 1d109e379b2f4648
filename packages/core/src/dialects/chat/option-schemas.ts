import type * as z from 'zod/mini'
import type { JsonObject, ResponseFormat } from '../../protocol/chat.ts'
import { shorten } from '../../protocol/wording.ts'
import { anyObject, either, type Fault, object, tagged, where } from '../../validation/expect-containers.ts'
import { flag, maybe, name, nullable, oneOf, only, text } from '../../validation/expect-scalars.ts'
import { textParts } from './message-schema.ts'

const textOrObject = 'one of a string or object'

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

export const streamOptionsSchema = object({
  include_usage: maybe(flag()),
  include_obfuscation: maybe(flag()),
})

/** The live profile knows no other members. */
export const liveStreamOptionsSchema = where(streamOptionsSchema, unknownOptionFault)

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

export const moderationSchema = object({ model: text() }) as unknown as z.ZodMiniType<JsonObject>

/** Only the members that the schema names. */
export function unknownOptionFault(options: object): Fault | undefined {
  const unknown = Object.keys(options).find(key => key !== 'include_usage' && key !== 'include_obfuscation')
  return unknown === undefined ? undefined : unknownMember(unknown)
}

function unknownMember(key: string): Fault {
  return {
    refusal: 'unknown_parameter',
    message: path => `Unknown parameter: '${path}.${shorten(key)}'.`,
    param: path => `${path}.${shorten(key)}`,
  }
}
