import type * as z from 'zod/mini'
import type { ChatRequest } from '../../protocol/chat.ts'
import { list } from '../../validation/expect-containers.ts'
import { decimal, flag, integer, oneOf, text } from '../../validation/expect-scalars.ts'
import { messageSchema } from './message-schema.ts'
import * as options from './option-schemas.ts'
import { functionChoiceSchema, functionSchema, toolChoiceSchema, toolSchema } from './tool-schema.ts'

/** The fields that the protocol names. */
type Named = {
  [K in keyof ChatRequest as string extends K ? never : number extends K ? never : K]: ChatRequest[K]
}

/** A schema for every field that the protocol names; none of them takes `null`. */
export type FieldSchemas = { readonly [K in keyof Named]-?: z.ZodMiniType<NonNullable<Named[K]>> }

const largest = Number.MAX_SAFE_INTEGER

/**
 * The fields of a request (protocol section 1), in the order in which their faults are reported (section
 * 4.3).
 *
 * @param live - with the bounds of hosted services. Their rules that span fields are in live-rules.ts.
 */
export function fieldSchemas(live: boolean): FieldSchemas {
  const fewest = live ? 1 : 0
  return {
    model: text(),
    messages: list(messageSchema(live), 'an array of objects', 1),
    functions: list(functionSchema, 'an array of objects', 1, 128),
    function_call: functionChoiceSchema,
    tools: list(toolSchema, 'an array of objects', fewest, 128),
    tool_choice: toolChoiceSchema,
    parallel_tool_calls: flag(),
    max_completion_tokens: integer(fewest, largest),
    max_tokens: integer(fewest, largest),
    n: integer(1, 128),
    temperature: decimal(0, 2),
    top_p: decimal(0, 1),
    presence_penalty: decimal(-2, 2),
    frequency_penalty: decimal(-2, 2),
    logit_bias: live ? options.liveLogitBiasSchema : options.logitBiasSchema,
    logprobs: flag(),
    top_logprobs: integer(0, 20),
    stop: options.stopSchema,
    user: text(),
    seed: integer(-largest, largest),
    safety_identifier: text(64),
    prompt_cache_key: live ? text(64) : text(),
    prompt_cache_retention: oneOf(['in_memory', 'in-memory', '24h']),
    prompt_cache_options: options.promptCacheOptionsSchema,
    service_tier: oneOf(['auto', 'default', 'flex', 'scale', 'priority', 'fast']),
    stream: flag(),
    stream_options: live ? options.liveStreamOptionsSchema : options.streamOptionsSchema,
    store: flag(),
    metadata: options.metadataSchema,
    verbosity: oneOf(['low', 'medium', 'high']),
    reasoning_effort: oneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
    response_format: options.responseFormatSchema,
    modalities: list(oneOf(['text', 'audio']), 'an array of strings'),
    audio: options.audioSchema,
    prediction: options.predictionSchema,
    web_search_options: options.webSearchSchema,
    moderation: options.moderationSchema,
  }
}
