import * as z from 'zod/mini'
import type { ChatCompletionChunk, ChunkChoice, Delta, ToolCallDelta } from '../../protocol/chat.ts'
import type { Shape } from './answer-schemas.ts'
import { anyObject, extraContent, finishReason, ofChoice, usage } from './answer-schemas.ts'

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
} satisfies Shape<Delta>)

const chunkChoice = z.object({
  ...ofChoice,
  delta,
  finish_reason: z.nullable(finishReason),
} satisfies Shape<ChunkChoice>)

/** One event of a streamed answer. */
export const chunk = z.object({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  service_tier: z.exactOptional(z.string()),
  system_fingerprint: z.nullable(z.string()),
  choices: z.array(chunkChoice),
  usage: z.exactOptional(z.nullable(usage)),
} satisfies Shape<ChatCompletionChunk>)
