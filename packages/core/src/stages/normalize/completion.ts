import type { ChatCompletion, Choice, CompletionMessage, FinishReason, Usage } from '../../protocol/chat.ts'
import type { PartialChoice, PartialCompletion } from '../../provider.ts'
import { UpstreamError } from '../../upstream-error.ts'
import { wholeToolCalls } from './whole-tool-calls.ts'

/** What is the same on a whole answer, or on every chunk of one. */
export interface AnswerIdentity {
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  /** The public name of the model that answered. */
  readonly model: string
}

/**
 * Any vendor's whole answer in the exact shape of the protocol (section 2): every key there, in order.
 * Throws `UpstreamError` of kind `garbled` for an answer without a choice.
 */
export function normalizeCompletion(
  partial: PartialCompletion,
  usage: Usage,
  identity: AnswerIdentity,
  newId: () => string,
  logprobsAsked: boolean,
): ChatCompletion {
  if (partial.choices.length === 0) {
    throw new UpstreamError('The upstream answered without a choice.', { kind: 'garbled' })
  }
  const choices = [...partial.choices].sort((a, b) => a.index - b.index)
  return {
    id: identity.id,
    object: 'chat.completion',
    created: identity.created,
    model: identity.model,
    choices: choices.map((choice, index) => choiceOf(choice, index, newId, logprobsAsked)),
    usage,
    service_tier: serviceTier(partial.service_tier),
    system_fingerprint: partial.system_fingerprint || null,
  }
}

/** The tier that answered; a vendor that names none, or the caller's wish, answered by its default. */
export function serviceTier(tier: string | undefined): string {
  return tier === undefined || tier === '' || tier === 'auto' ? 'default' : tier
}

function choiceOf(
  { message, logprobs, finish_reason }: PartialChoice,
  index: number,
  newId: () => string,
  logprobsAsked: boolean,
): Choice {
  const reply = messageOf(message, newId)
  return {
    index,
    message: reply,
    logprobs: logprobsAsked ? (logprobs ?? null) : null,
    finish_reason: finishReason(
      finish_reason,
      reply.tool_calls !== undefined,
      reply.function_call !== undefined,
    ),
  }
}

function messageOf(message: PartialChoice['message'], newId: () => string): CompletionMessage {
  const calls = message.tool_calls
  const called = calls !== undefined && calls.length > 0
  const call = message.function_call
  const refusal = message.refusal || null
  const textless = called || call !== undefined || refusal !== null || message.audio !== undefined
  return {
    role: 'assistant',
    content: message.content || (textless ? null : ''),
    ...(message.reasoning_content ? { reasoning_content: message.reasoning_content } : {}),
    ...(message.reasoning_details === undefined ? {} : { reasoning_details: message.reasoning_details }),
    ...(called ? { tool_calls: wholeToolCalls(calls, newId) } : {}),
    ...(call === undefined
      ? {}
      : { function_call: { name: call.name ?? '', arguments: call.arguments || '{}' } }),
    ...(message.audio === undefined ? {} : { audio: message.audio }),
    refusal,
    annotations: message.annotations ?? [],
    ...(message.citations === undefined ? {} : { citations: message.citations }),
  }
}

/**
 * Why a choice ended. A vendor that says `stop` although it called a tool, or that gives no reason for an
 * answer that it did end, is put right.
 */
export function finishReason(
  given: FinishReason | null | undefined,
  toolsCalled: boolean,
  functionCalled: boolean,
): FinishReason {
  if (given != null && given !== 'stop') return given
  if (toolsCalled) return 'tool_calls'
  return functionCalled ? 'function_call' : 'stop'
}
