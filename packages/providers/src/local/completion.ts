import type { ChatRequest, FinishReason, JsonObject, PartialUsage } from '@sluice/core/provider'
import { hashedId } from './hash.ts'
import type { FakeReply } from './script.ts'
import { countPromptTokens, countTokens, splitTokens } from './tokens.ts'

/** An answer, before it is written as JSON or as a stream. */
export type Completion = ReturnType<typeof createCompletion>

/** One choice, its texts in the pieces in which they are streamed; what is absent is `null` in the message. */
export interface Choice {
  readonly reasoning: readonly string[] | undefined
  readonly content: readonly string[] | undefined
  readonly refusal: readonly string[] | undefined
  readonly calls: readonly ChoiceCall[]
  readonly finishReason: FinishReason
}

export interface ChoiceCall {
  /** `function_call`: the deprecated form. */
  readonly type: 'function' | 'custom' | 'function_call'
  readonly id: string
  readonly name: string
  readonly input: readonly string[]
}

/** Creates the completion of a reply; `now` is in milliseconds since 1970, and `seed` makes the ids. */
export function createCompletion(reply: FakeReply, request: ChatRequest, seed: string, now: number) {
  const choices = Array.from({ length: request.n ?? 1 }, (_, index) => choiceOf(reply, `${seed}:${index}`))
  const texts = choices.flatMap(textsOf)
  const completion_tokens = texts.reduce((sum, text) => sum + countTokens(text.join('')), 0)
  const usage: PartialUsage = { prompt_tokens: countPromptTokens(request), completion_tokens, ...reply.usage }
  const [id, created] = [`chatcmpl-${hashedId(seed)}`, Math.floor(now / 1_000)]
  return { id, created, model: request.model, choices, usage: reply.usage === null ? null : usage }
}

/** Counts the pieces in which an answer is streamed. */
export function countPieces({ choices }: Completion): number {
  const names = choices.reduce((sum, { calls }) => sum + calls.length, 0)
  return choices.flatMap(textsOf).reduce((sum, text) => sum + text.length, 0) - names
}

function textsOf({ reasoning = [], content = [], refusal = [], calls }: Choice): (readonly string[])[] {
  return [reasoning, content, refusal, ...calls.flatMap(({ name, input }) => [[name], input])]
}

function choiceOf(reply: FakeReply, seed: string): Choice {
  const { text, chunks, refusal, reasoning, toolCalls = [], functionCall } = reply
  const calls = toolCalls.map((call, index): ChoiceCall => {
    const type = call.input === undefined ? 'function' : 'custom'
    const id = call.id ?? `call_${hashedId(`${seed}:${index}`)}`
    return { type, id, name: call.name, input: splitTokens(call.input ?? jsonOf(call.arguments)) }
  })
  if (functionCall !== undefined) {
    const input = splitTokens(jsonOf(functionCall.arguments))
    calls.push({ type: 'function_call', id: '', name: functionCall.name, input })
  }
  const defaultReason =
    toolCalls.length > 0 ? 'tool_calls' : functionCall === undefined ? 'stop' : 'function_call'
  return {
    reasoning: reasoning === undefined ? undefined : splitTokens(reasoning),
    content: chunks ?? (text === undefined ? undefined : splitTokens(text)),
    refusal: refusal === undefined ? undefined : splitTokens(refusal),
    calls,
    finishReason: reply.finishReason ?? defaultReason,
  }
}

function jsonOf(value: string | JsonObject = {}): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
