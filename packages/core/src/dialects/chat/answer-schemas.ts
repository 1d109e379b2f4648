import * as z from 'zod/mini'
import type { ErrorBody } from '../../errors/errors.ts'
import type {
  ChatCompletion,
  ChatCompletionChunk,
  Choice,
  ChunkChoice,
  CompletionMessage,
  CompletionUsage,
  CustomToolCall,
  Delta,
  FunctionToolCall,
  JsonObject,
  Logprobs,
  TokenLogprob,
  ToolCall,
  ToolCallDelta,
  Usage,
} from '../../protocol/chat.ts'
import { componentsPath } from '../../validation/json-schema-of.ts'

/*
 * Schemas of responses for the OpenAPI document: they validate nothing. The compiler ensures that each shape has all members
 * of its interface.
 */

/** A schema for each member of an interface. */
type Shape<T> = { readonly [K in keyof T]-?: z.ZodMiniType<T[K]> }

const count = z.int().check(z.gte(0))

/** Any object, passed through from a vendor. */
const anyObject = z.record(z.string(), z.unknown()) as unknown as z.ZodMiniType<JsonObject>
const anyObjects = z.array(anyObject)

/** What a vendor adds to the protocol at one level of an answer. */
const providerFields = { provider_specific_fields: z.exactOptional(anyObject) }

const usage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.object({
    cached_tokens: count,
    audio_tokens: count,
    cache_write_tokens: z.exactOptional(count),
  } satisfies Shape<Usage['prompt_tokens_details']>),
  completion_tokens_details: z.object({
    reasoning_tokens: count,
    audio_tokens: count,
    accepted_prediction_tokens: count,
    rejected_prediction_tokens: count,
  } satisfies Shape<Usage['completion_tokens_details']>),
  cost: z.exactOptional(z.number()),
  ...providerFields,
} satisfies Shape<CompletionUsage>)

const token = {
  token: z.string(),
  logprob: z.number(),
  bytes: z.nullable(z.array(z.int().check(z.gte(0), z.lte(255)))),
}
const tokenLogprob = z.object({
  ...token,
  top_logprobs: z.array(z.object(token)),
} satisfies Shape<TokenLogprob>)

const logprobs = z.object({
  content: z.nullable(z.array(tokenLogprob)),
  refusal: z.nullable(z.array(tokenLogprob)),
} satisfies Shape<Logprobs>)

const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])

/** Values that some vendors require back with a call, such as signatures. */
const extraContent = z.exactOptional(anyObject)

const functionToolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
  extra_content: extraContent,
} satisfies Shape<FunctionToolCall & { readonly extra_content?: JsonObject }>)

const customToolCall = z.object({
  id: z.string(),
  type: z.literal('custom'),
  custom: z.object({ name: z.string(), input: z.string() }),
  extra_content: extraContent,
} satisfies Shape<CustomToolCall & { readonly extra_content?: JsonObject }>)

const calledTool = z.union([functionToolCall, customToolCall]) satisfies z.ZodMiniType<ToolCall>

const message = z.object({
  role: z.literal('assistant'),
  content: z.nullable(z.string()),
  refusal: z.nullable(z.string()),
  annotations: anyObjects,
  reasoning_content: z.exactOptional(z.string()),
  reasoning_details: z.exactOptional(anyObjects),
  citations: z.exactOptional(anyObjects),
  tool_calls: z.exactOptional(z.array(calledTool).check(z.minLength(1))),
  function_call: z.exactOptional(z.object({ name: z.string(), arguments: z.string() })),
  audio: z.exactOptional(anyObject),
  ...providerFields,
} satisfies Shape<CompletionMessage>)

/** The fields that choices of complete responses and of chunks share. */
const ofChoice = {
  index: z.int().check(z.gte(0), z.lte(127)),
  logprobs: z.nullable(logprobs),
  ...providerFields,
}

const choice = z.object({
  ...ofChoice,
  message,
  finish_reason: finishReason,
} satisfies Shape<Choice>)

const completion = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(choice).check(z.minLength(1)),
  usage,
  service_tier: z.exactOptional(z.string()),
  system_fingerprint: z.nullable(z.string()),
  ...providerFields,
} satisfies Shape<ChatCompletion>)

const errorBody = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.nullable(z.string()),
    code: z.nullable(z.string()),
  } satisfies Shape<ErrorBody['error']>),
} satisfies Shape<ErrorBody>)

const modelCard = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
})

const modelList = z.object({ object: z.literal('list'), data: z.array(modelCard) })

const optionalText = z.exactOptional(z.string())
const optionalObjects = z.exactOptional(z.array(anyObject))

const toolCallDelta = z.object({
  index: z.int().check(z.gte(0)),
  id: optionalText,
  type: z.exactOptional(z.enum(['function', 'custom'])),
  function: z.exactOptional(z.object({ name: optionalText, arguments: optionalText })),
  custom: z.exactOptional(z.object({ name: optionalText, input: optionalText })),
  extra_content: extraContent,
} satisfies Shape<ToolCallDelta>)

const delta = z.object({
  role: z.exactOptional(z.literal('assistant')),
  content: z.exactOptional(z.nullable(z.string())),
  refusal: z.exactOptional(z.nullable(z.string())),
  reasoning_content: optionalText,
  reasoning_details: optionalObjects,
  citations: optionalObjects,
  annotations: optionalObjects,
  tool_calls: z.exactOptional(z.array(toolCallDelta)),
  function_call: z.exactOptional(z.object({ name: optionalText, arguments: optionalText })),
  audio: z.exactOptional(anyObject),
  ...providerFields,
} satisfies Shape<Delta>)

const chunkChoice = z.object({
  ...ofChoice,
  delta,
  finish_reason: z.nullable(finishReason),
} satisfies Shape<ChunkChoice>)

/** One event of a streamed response. */
const chunk = z.object({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  service_tier: z.exactOptional(z.string()),
  system_fingerprint: z.nullable(z.string()),
  choices: z.array(chunkChoice),
  usage: z.exactOptional(z.nullable(usage)),
  ...providerFields,
} satisfies Shape<ChatCompletionChunk>)

const named = {
  ChatCompletion: completion,
  ChatCompletionChunk: chunk,
  Usage: usage,
  Logprobs: logprobs,
  CalledTool: calledTool,
  Error: errorBody,
  Model: modelCard,
  ModelList: modelList,
}

/** The named schemas of responses. Objects may get more members later, so none is closed. */
export function answerSchemas(): Record<string, JsonObject> {
  const registry = z.registry<{ readonly id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: id => componentsPath + id })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema as JsonObject]),
  )
}

/** Returns a reference to the schema of a response. */
export function answerReference(name: keyof typeof named): JsonObject {
  return { $ref: componentsPath + name }
}
