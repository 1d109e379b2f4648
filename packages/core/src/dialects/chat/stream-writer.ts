import type {
  AnswerDelta,
  AnswerIdentity,
  AnswerOrigin,
  AnswerStreamWriter,
} from '../../contracts/dialect.ts'
import type { PartialMessage } from '../../contracts/provider.ts'
import type { GatewayError } from '../../errors/errors.ts'
import type { ChunkChoice, CompletionUsage, Delta } from '../../protocol/chat.ts'
import { usageWithCost } from '../../usage/usage.ts'
import { ChunkWriter, errorEvent } from './chunk-writer.ts'

/** Writes a stream of chat completion chunks: per choice a role chunk, its content, and a finish chunk. */
export class ChatStreamWriter implements AnswerStreamWriter {
  readonly #identity: AnswerIdentity
  readonly #writer: ChunkWriter

  constructor(identity: AnswerIdentity, includeUsage: boolean) {
    this.#identity = identity
    this.#writer = new ChunkWriter(identity, includeUsage)
  }

  open(): string {
    return ''
  }

  push(deltas: readonly AnswerDelta[], origin: AnswerOrigin): string {
    if (deltas.length === 0) return ''
    const { serviceTier, systemFingerprint } = origin
    return this.#writer.choices(chunkChoices(deltas), serviceTier, systemFingerprint, origin.takeFields())
  }

  end(deltas: readonly AnswerDelta[], origin: AnswerOrigin, usage: CompletionUsage): string {
    return this.push(deltas, origin) + this.#writer.end(usageWithCost(usage, this.#identity.cost?.()))
  }

  fail(error: GatewayError): string {
    return errorEvent(error.toBody())
  }
}

/** Returns the chunks of deltas: one for each thing that they hold. */
export function chunkChoices(deltas: readonly AnswerDelta[]): ChunkChoice[] {
  const choices: ChunkChoice[] = []
  for (const delta of deltas) addChunks(delta, choices)
  return choices
}

/** Adds the chunks of a delta: one for each thing it holds. */
function addChunks({ index, first, delta, logprobs, finish, fields }: AnswerDelta, out: ChunkChoice[]): void {
  if (first) out.push(chunkOf(index, roleOf(delta)))
  const start = out.length
  if (delta.reasoning_content || delta.reasoning_details !== undefined) {
    out.push(chunkOf(index, reasoningOf(delta)))
  }
  if (delta.content) out.push(chunkOf(index, { content: delta.content }))
  if (delta.refusal) out.push(chunkOf(index, { refusal: delta.refusal }))
  const { tool_calls: calls, function_call, audio, annotations, citations } = delta
  const { provider_specific_fields } = delta
  if (calls !== undefined) {
    for (const call of calls as NonNullable<Delta['tool_calls']>) {
      out.push(chunkOf(index, { tool_calls: [call] }))
    }
  }
  if (function_call !== undefined) out.push(chunkOf(index, { function_call }))
  if (audio !== undefined) out.push(chunkOf(index, { audio }))
  if (annotations !== undefined) out.push(chunkOf(index, { annotations }))
  if (citations !== undefined) out.push(chunkOf(index, { citations }))
  if (provider_specific_fields !== undefined) out.push(chunkOf(index, { provider_specific_fields }))
  if (logprobs !== null) {
    // Logprobs of tokens without text are sent too.
    if (out.length === start) out.push(chunkOf(index, { content: '' }))
    out[start] = { ...out[start]!, logprobs }
  }
  if (finish !== null) out.push({ index, delta: {}, logprobs: null, finish_reason: finish })
  if (fields !== undefined) out[out.length - 1] = { ...out.at(-1)!, provider_specific_fields: fields }
}

/** The delta of the role chunk. Its content is `null` if the response does not start with text. */
function roleOf(delta: PartialMessage): Delta {
  if (delta.refusal) return { role: 'assistant', content: null, refusal: '' }
  const textless =
    delta.tool_calls !== undefined || delta.function_call !== undefined || delta.content === null
  return { role: 'assistant', content: textless ? null : '', refusal: null }
}

function chunkOf(index: number, delta: Delta): ChunkChoice {
  return { index, delta, logprobs: null, finish_reason: null }
}

function reasoningOf(delta: PartialMessage): Delta {
  return {
    ...(delta.reasoning_content ? { reasoning_content: delta.reasoning_content } : {}),
    ...(delta.reasoning_details === undefined ? {} : { reasoning_details: delta.reasoning_details }),
  }
}
