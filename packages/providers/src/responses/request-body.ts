import type { Call, ChatRequest, JsonObject } from '@sluice/core/provider'
import { turnsOf } from '@sluice/core/provider'
import { maxOutputOf } from '../chat-completions/request-body.ts'
import { reportTranslationLosses } from '../conversation/report-losses.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields, textOf } from '../wire/json-value.ts'
import { inputItems } from './input-items.ts'
import { encryptedReasoning } from './native-body.ts'
import { toolFields } from './tool-fields.ts'

/** What asks for the probabilities of tokens. */
const includedLogprobs = 'message.output_text.logprobs'

/**
 * Returns a request as the Responses API has it, to be written as JSON, which omits `undefined`. The vendor stores nothing. Throws
 * `GatewayError` (400) for what the API does not take.
 *
 * @param encrypts - whether the vendor can return encrypted reasoning.
 */
export function responsesBody(
  call: Call,
  encrypts: boolean,
  adjuster: ParameterAdjuster,
): Readonly<Record<string, unknown>> {
  const { input, request, model } = call
  reportTranslationLosses(call, adjuster)
  if (input.top_k !== undefined) adjuster.drop('top_k', 'not known to this vendor')
  const turns = turnsOf(call)
  const last = turns.at(-1)
  if (last?.role === 'assistant' && request?.dialect === 'messages')
    adjuster.map(last, 'this model answers it as a new turn')
  const include = [
    ...(encrypts ? [encryptedReasoning] : []),
    ...(input.logprobs === true ? [includedLogprobs] : []),
  ]
  const { include_obfuscation } = input.stream_options ?? {}
  const streams = input.stream === true
  return {
    model,
    input: inputItems(turns, adjuster),
    store: false,
    include: include.length === 0 ? undefined : include,
    stream: streams,
    stream_options: streams && include_obfuscation !== undefined ? { include_obfuscation } : undefined,
    max_output_tokens: maxOutputOf(input),
    temperature: input.temperature,
    top_p: input.top_p,
    top_logprobs: input.top_logprobs,
    text: textFields(input),
    reasoning: reasoningFields(call, adjuster),
    ...toolFields(input, adjuster),
    service_tier: input.service_tier,
    metadata: input.metadata,
    user: input.user,
    safety_identifier: input.safety_identifier,
    prompt_cache_key: input.prompt_cache_key,
    prompt_cache_retention: input.prompt_cache_retention,
    prompt_cache_options: input.prompt_cache_options,
  }
}

function textFields({ response_format: format, verbosity }: ChatRequest): JsonObject | undefined {
  if (format === undefined && verbosity === undefined) return undefined
  return {
    ...(format !== undefined && { format: flatFormat(format) }),
    ...(verbosity !== undefined && { verbosity }),
  }
}

function flatFormat(format: NonNullable<ChatRequest['response_format']>): JsonObject {
  if (format.type !== 'json_schema') return { type: format.type }
  const { name, description, schema, strict } = format.json_schema
  return {
    type: 'json_schema',
    name,
    ...(description !== undefined && { description }),
    schema: schema ?? {},
    strict: strict ?? false,
  }
}

/** How much the model reasons, and whether it tells what it thought. */
function reasoningFields(call: Call, adjuster: ParameterAdjuster): JsonObject | undefined {
  const { reasoning_effort: effort } = call.input
  const setting = call.request?.thinking?.()
  if (setting?.budgetTokens !== undefined && !setting.hasEffort)
    adjuster.map('thinking', `an effort: ${effort}`)
  const summary = summaryOf(call)
  if (effort === undefined && summary === undefined) return undefined
  return { ...(effort !== undefined && { effort }), ...(summary !== undefined && { summary }) }
}

/**
 * Returns which summary of its thoughts the model gives. A caller of the same protocol says so. Others get one where they want to
 * read thoughts: in the Messages API unless they are omitted, in chat completions with an effort, as of other vendors.
 */
function summaryOf({ input, request }: Call): string | undefined {
  if (request?.dialect === 'responses') {
    const { reasoning } = request.body
    return isFields(reasoning) ? (textOf(reasoning.summary) ?? textOf(reasoning.generate_summary)) : undefined
  }
  if (request?.thinking !== undefined) {
    const setting = request.thinking()
    return setting === undefined || setting.display === 'omitted' ? undefined : 'auto'
  }
  const { reasoning_effort: effort } = input
  return effort === undefined || effort === 'none' ? undefined : 'auto'
}
