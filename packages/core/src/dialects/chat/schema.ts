import type * as z from 'zod/mini'
import type { FunctionDefinition, JsonObject, ResponseFormat, Tool, ToolChoice } from '../../protocol/chat.ts'
import type { NamedFields } from '../../protocol/chat-fields.ts'
import { shorten } from '../../protocol/error-messages.ts'
import { type Fields, fieldsFrom } from '../../validation/check-fields.ts'
import {
  anyObject,
  either,
  list,
  object,
  type SchemaIssue,
  tagged,
  where,
} from '../../validation/container-schemas.ts'
import { flag, integer, maybe, name, nullable, oneOf, only, text } from '../../validation/scalar-schemas.ts'
import { settingSchemas } from '../../validation/settings-schema.ts'
import { messageSchema, textParts } from './message-schema.ts'

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

const streamOptionsSchema = object({
  include_usage: maybe(flag()),
  include_obfuscation: maybe(flag()),
})

/** The live profile accepts no other members. */
const liveStreamOptionsSchema = where(streamOptionsSchema, unknownOptionIssue)

const promptCacheOptionsSchema = object({
  mode: maybe(oneOf(['implicit', 'explicit'])),
  ttl: maybe(text()),
}) as unknown as z.ZodMiniType<JsonObject>

const audioSchema = object({
  voice: either(textOrObject, { string: text(), object: object({ id: text() }) }),
  format: oneOf(['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16']),
})

const predictionSchema = object({
  type: oneOf(['content']),
  content: either('one of a string or array of objects', { string: text(), array: textParts }),
})

const moderationSchema = object({ model: text() }) as unknown as z.ZodMiniType<JsonObject>

/** Returns only the members that the schema names. */
export function unknownOptionIssue(options: object): SchemaIssue | undefined {
  const unknown = Object.keys(options).find(key => key !== 'include_usage' && key !== 'include_obfuscation')
  return unknown === undefined ? undefined : unknownMember(unknown)
}

function unknownMember(key: string): SchemaIssue {
  return {
    reason: 'unknown_parameter',
    message: path => `Unknown parameter: '${path}.${shorten(key)}'.`,
    param: path => `${path}.${shorten(key)}`,
  }
}

/** A function that the model may call. */
export const functionSchema = object({
  name: name(),
  description: maybe(text()),
  parameters: maybe(anyObject()),
  strict: maybe(nullable(flag())),
}) satisfies z.ZodMiniType<FunctionDefinition>

const customFormat = tagged('type', {
  text: anyObject(),
  grammar: object({
    type: only('grammar'),
    grammar: object({ definition: text(), syntax: oneOf(['lark', 'regex']) }),
  }),
})

export const toolSchema = tagged('type', {
  function: object({ type: only('function'), function: functionSchema }),
  custom: object({
    type: only('custom'),
    custom: object({
      name: text(),
      description: maybe(text()),
      format: maybe(customFormat),
    }),
  }),
}) as z.ZodMiniType<Tool>

const named = object({ name: text() })

export const toolChoiceSchema: z.ZodMiniType<ToolChoice> = either('one of a string or object', {
  string: oneOf(['none', 'auto', 'required']),
  object: tagged('type', {
    function: object({ type: only('function'), function: named }),
    custom: object({ type: only('custom'), custom: named }),
    allowed_tools: object({
      type: only('allowed_tools'),
      allowed_tools: object({
        mode: oneOf(['auto', 'required']),
        tools: list(anyObject(), 'an array of objects'),
      }),
    }),
  }),
})

/** The older way to choose: `function_call`. */
const functionChoiceSchema = either('one of a string or object', {
  string: oneOf(['none', 'auto']),
  object: named,
})

/** A schema for every field of the protocol. None accepts `null`. */
type FieldSchemas = {
  readonly [K in keyof NamedFields]-?: z.ZodMiniType<NonNullable<NamedFields[K]>>
}

/** Created on first use: a service uses one profile, and creating the schemas takes milliseconds. */
const profiles: { schema?: Fields; live?: Fields } = {}

/** The fields of a chat completion request. */
export function chatFields(live: boolean): Fields {
  const profile = live ? 'live' : 'schema'
  profiles[profile] ??= fieldsFrom(fieldSchemas(live))
  return profiles[profile]
}

const largest = Number.MAX_SAFE_INTEGER

/**
 * Returns the fields of a request, in the order in which their errors are reported.
 *
 * @param live - whether to apply the limits of hosted services. Their rules that span fields are in live-rules.ts.
 */
export function fieldSchemas(live: boolean): FieldSchemas {
  const fewest = live ? 1 : 0
  const settings = settingSchemas(live)
  return {
    model: text(),
    messages: list(messageSchema(live), 'an array of objects', 1),
    functions: list(functionSchema, 'an array of objects', 1, 128),
    function_call: functionChoiceSchema,
    tools: list(toolSchema, 'an array of objects', fewest, 128),
    tool_choice: toolChoiceSchema,
    parallel_tool_calls: settings.parallel_tool_calls,
    max_completion_tokens: settings.max_completion_tokens,
    max_tokens: integer(fewest, largest),
    n: integer(1, 128),
    temperature: settings.temperature,
    top_p: settings.top_p,
    presence_penalty: settings.presence_penalty,
    frequency_penalty: settings.frequency_penalty,
    logit_bias: settings.logit_bias,
    logprobs: flag(),
    top_logprobs: integer(0, 20),
    stop: settings.stop,
    user: settings.user,
    seed: settings.seed,
    safety_identifier: settings.safety_identifier,
    prompt_cache_key: settings.prompt_cache_key,
    prompt_cache_retention: settings.prompt_cache_retention,
    prompt_cache_options: promptCacheOptionsSchema,
    service_tier: settings.service_tier,
    stream: flag(),
    stream_options: live ? liveStreamOptionsSchema : streamOptionsSchema,
    store: settings.store,
    metadata: settings.metadata,
    verbosity: settings.verbosity,
    reasoning_effort: settings.reasoning_effort,
    response_format: responseFormatSchema,
    modalities: list(oneOf(['text', 'audio']), 'an array of strings'),
    audio: audioSchema,
    prediction: predictionSchema,
    web_search_options: settings.web_search_options,
    moderation: moderationSchema,
  }
}
