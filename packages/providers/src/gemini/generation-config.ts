import type { Call, ChatRequest, ThinkingSetting } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import type { GeminiModel, GoogleApi } from './models.ts'
import { responseSchema } from './response-schema.ts'
import { thinkingConfig } from './thinking.ts'

const maxStopSequences = 5
const maxSeed = 2 ** 31 - 1

/**
 * What the caller said of how to answer, as a `GenerationConfig`. Throws `GatewayError` (400) for what the model
 * lacks, as the policy wants it.
 */
export function generationConfig(
  { input, request }: Call,
  model: GeminiModel,
  api: GoogleApi,
  adjuster: ParameterAdjuster,
): Record<string, unknown> {
  const config: Record<string, unknown> = {
    ...sampling(input, model, adjuster),
    maxOutputTokens: input.max_completion_tokens ?? input.max_tokens,
    stopSequences: stopSequences(input.stop, adjuster),
    candidateCount: candidateCount(input.n, model, adjuster),
    seed: seed(input.seed, adjuster),
    presencePenalty: penalty('presence_penalty', input, model, api, adjuster),
    frequencyPenalty: penalty('frequency_penalty', input, model, api, adjuster),
    ...logprobs(input, model, api, adjuster),
    ...responseFormat(input, model, adjuster),
    thinkingConfig: thinking(input, request?.thinking?.(), model, adjuster),
  }
  for (const [name, value] of Object.entries(config)) if (value === undefined) delete config[name]
  return config
}

/** Gemini's own fields take precedence over the protocol's parameters. */
function thinking(
  { reasoning_effort: effort, thinkingConfig: own }: ChatRequest,
  setting: ThinkingSetting | undefined,
  model: GeminiModel,
  adjuster: ParameterAdjuster,
): unknown {
  if (own === undefined || own === null) return thinkingConfig(effort, setting, model, adjuster)
  if (effort !== undefined) adjuster.drop('reasoning_effort', 'thinkingConfig was given too')
  return own
}

function sampling(
  { temperature, top_p, top_k }: ChatRequest,
  model: GeminiModel,
  adjuster: ParameterAdjuster,
): Record<string, unknown> {
  if (model.sampling) return { temperature, topP: top_p, topK: top_k ?? undefined }
  for (const [name, value] of Object.entries({ temperature, top_p, top_k })) {
    if (value !== undefined && value !== null) adjuster.drop(name, 'this model ignores it')
  }
  return {}
}

function stopSequences(
  stop: ChatRequest['stop'],
  adjuster: ParameterAdjuster,
): readonly string[] | undefined {
  if (stop === undefined) return undefined
  const sequences = typeof stop === 'string' ? [stop] : stop
  if (sequences.length <= maxStopSequences) return sequences.length > 0 ? sequences : undefined
  adjuster.unsupportedValue('stop', sequences, `Expected at most ${maxStopSequences} sequences.`)
  return undefined
}

function candidateCount(
  n: number | undefined,
  { maxChoices }: GeminiModel,
  adjuster: ParameterAdjuster,
): number | undefined {
  if (n === undefined || n === 1) return undefined
  if (n <= maxChoices) return n
  if (maxChoices === 1) adjuster.unsupported('n', 'Send the request several times instead.')
  else adjuster.unsupportedValue('n', n, `Expected at most ${maxChoices}.`)
  return undefined
}

function seed(value: number | undefined, adjuster: ParameterAdjuster): number | undefined {
  if (value === undefined || (value <= maxSeed && value >= -maxSeed - 1)) return value
  adjuster.unsupportedValue('seed', value, 'Expected an integer of 32 bits.')
  return undefined
}

function penalty(
  name: 'presence_penalty' | 'frequency_penalty',
  { [name]: value }: ChatRequest,
  { penalties }: GeminiModel,
  api: GoogleApi,
  adjuster: ParameterAdjuster,
): number | undefined {
  if (value === undefined || value === 0) return undefined
  if (!penalties.includes(api)) {
    adjuster.drop(name, 'this model has none')
    return undefined
  }
  if (value < 2) return value
  adjuster.unsupportedValue(name, value, 'Expected a value < 2.')
  return undefined
}

function logprobs(
  { logprobs: asked, top_logprobs: top }: ChatRequest,
  model: GeminiModel,
  api: GoogleApi,
  adjuster: ParameterAdjuster,
): Record<string, unknown> {
  if (asked !== true) return {}
  if (!model.logprobs.includes(api)) {
    adjuster.unsupported('logprobs')
    if (top !== undefined) adjuster.drop('top_logprobs')
    return {}
  }
  return { responseLogprobs: true, logprobs: top === 0 ? undefined : top }
}

function responseFormat(
  { response_format: format, tools = [] }: ChatRequest,
  model: GeminiModel,
  adjuster: ParameterAdjuster,
): Record<string, unknown> {
  if (format === undefined || format.type === 'text') return {}
  if (!(format.type === 'json_schema' ? model.jsonSchema : model.json)) {
    adjuster.unsupported('response_format', 'Ask for JSON in the prompt instead.')
    return {}
  }
  if (tools.length > 0 && !model.toolsWithJson && model.tools) {
    adjuster.unsupported('response_format', 'It takes either tools or a response format.')
    return {}
  }
  const responseMimeType = 'application/json'
  if (format.type === 'json_object') return { responseMimeType }
  const { schema, description } = format.json_schema
  if (schema === undefined) return { responseMimeType }
  const described = description === undefined ? schema : { description, ...schema }
  const { schema: supported, leftOut } = responseSchema(described)
  if (leftOut.length > 0) {
    adjuster.map('response_format', `left out of the schema: ${leftOut.slice(0, 20).join(', ')}`)
  }
  return { responseMimeType, responseJsonSchema: supported }
}
