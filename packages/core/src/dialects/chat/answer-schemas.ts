import * as z from 'zod/mini'
import type { ErrorBody } from '../../errors/errors.ts'
import type {
  ChatCompletion,
  Choice,
  CompletionMessage,
  CustomToolCall,
  FunctionToolCall,
  JsonObject,
  Logprobs,
  TokenLogprob,
  ToolCall,
  Usage,
} from '../../protocol/chat.ts'

/*
 * Answers as schemas, for the description of the API: nothing is checked by them. Each shape has all members of the
 * interface that it stands for; the compiler sees to it.
 */

/** A schema for each member of an interface. */
export type Shape<T> = { readonly [K in keyof T]-?: z.ZodMiniType<T[K]> }

const count = z.int().check(z.gte(0))

/** Any object; of a vendor, as it was. */
export const anyObject = z.record(z.string(), z.unknown()) as unknown as z.ZodMiniType<JsonObject>
const anyObjects = z.array(anyObject)

export const usage = z.object({
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
} satisfies Shape<Usage>)

const token = {
  token: z.string(),
  logprob: z.number(),
  bytes: z.nullable(z.array(z.int().check(z.gte(0), z.lte(255)))),
}
const tokenLogprob = z.object({
  ...token,
  top_logprobs: z.array(z.object(token)),
} satisfies Shape<TokenLogprob>)

export const logprobs = z.object({
  content: z.nullable(z.array(tokenLogprob)),
  refusal: z.nullable(z.array(tokenLogprob)),
} satisfies Shape<Logprobs>)

export const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])

/** What some vendors want back with a call: signatures. */
export const extraContent = z.exactOptional(anyObject)

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

export const calledTool = z.union([functionToolCall, customToolCall]) satisfies z.ZodMiniType<ToolCall>

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
} satisfies Shape<CompletionMessage>)

/** What the choices of whole answers and of chunks have alike. */
export const ofChoice = {
  index: z.int().check(z.gte(0), z.lte(127)),
  logprobs: z.nullable(logprobs),
}

const choice = z.object({
  ...ofChoice,
  message,
  finish_reason: finishReason,
} satisfies Shape<Choice>)

export const completion = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(choice).check(z.minLength(1)),
  usage,
  service_tier: z.exactOptional(z.string()),
  system_fingerprint: z.nullable(z.string()),
} satisfies Shape<ChatCompletion>)

export const errorBody = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.nullable(z.string()),
    code: z.nullable(z.string()),
  } satisfies Shape<ErrorBody['error']>),
} satisfies Shape<ErrorBody>)

export const modelCard = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
})

export const modelList = z.object({ object: z.literal('list'), data: z.array(modelCard) })
