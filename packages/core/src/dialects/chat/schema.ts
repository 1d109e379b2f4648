import type * as z from 'zod/mini'
import type { NamedFields } from '../../protocol/chat-fields.ts'
import { type Fields, fieldsFrom } from '../../validation/check-fields.ts'
import { list } from '../../validation/expect-containers.ts'
import { flag, integer, oneOf, text } from '../../validation/expect-scalars.ts'
import { settingSchemas } from '../../validation/settings-schema.ts'
import { messageSchema } from './message-schema.ts'
import * as options from './option-schemas.ts'
import { functionChoiceSchema, functionSchema, toolChoiceSchema, toolSchema } from './tool-schema.ts'

/** A schema for every field that the protocol names; none of them takes `null`. */
export type FieldSchemas = {
  readonly [K in keyof NamedFields]-?: z.ZodMiniType<NonNullable<NamedFields[K]>>
}

/** Made when first asked for: a service uses one profile, and making schemas takes milliseconds. */
const profiles: { schema?: Fields; live?: Fields } = {}

/** The fields of a chat completion request. */
export function chatFields(live: boolean): Fields {
  const profile = live ? 'live' : 'schema'
  profiles[profile] ??= fieldsFrom(fieldSchemas(live))
  return profiles[profile]
}

const largest = Number.MAX_SAFE_INTEGER

/**
 * The fields of a request (protocol section 1), in the order in which their faults are reported (section
 * 4.3).
 *
 * @param live - with the bounds of hosted services. Their rules that span fields are in live-rules.ts.
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
    prompt_cache_options: options.promptCacheOptionsSchema,
    service_tier: settings.service_tier,
    stream: flag(),
    stream_options: live ? options.liveStreamOptionsSchema : options.streamOptionsSchema,
    store: settings.store,
    metadata: settings.metadata,
    verbosity: settings.verbosity,
    reasoning_effort: settings.reasoning_effort,
    response_format: options.responseFormatSchema,
    modalities: list(oneOf(['text', 'audio']), 'an array of strings'),
    audio: options.audioSchema,
    prediction: options.predictionSchema,
    web_search_options: settings.web_search_options,
    moderation: options.moderationSchema,
  }
}
