import type { AnswerIdentity } from '../../contracts/dialect.ts'
import type { PartialChoice, PartialCompletion, PartialMessage } from '../../contracts/provider.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import { choiceFinishReason } from '../../normalization/finish-reason.ts'
import { completeToolCalls } from '../../normalization/tool-calls.ts'
import type { ChatCompletion, Choice, CompletionMessage, Usage } from '../../protocol/chat.ts'
import { usageWithCost, usageWithFields } from '../../usage/usage.ts'

/**
 * Converts a vendor's complete response to the shape of the chat completions API. All keys are present and in order, except
 * a service tier that the vendor does not name. Throws `UpstreamError` of kind `garbled` if there is no choice.
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
  const completion: Partial<Writable<ChatCompletion>> = {
    id: identity.id,
    object: 'chat.completion',
    created: identity.created,
    model: identity.model,
    choices: inOrder(partial.choices).map((choice, index) => choiceOf(choice, index, newId, logprobsAsked)),
    usage: usageWithCost(usageWithFields(usage, partial.usage), identity.cost?.()),
  }
  if (partial.service_tier) completion.service_tier = partial.service_tier
  completion.system_fingerprint = partial.system_fingerprint || null
  const { provider_specific_fields: fields } = partial
  if (fields !== undefined) completion.provider_specific_fields = fields
  return completion as ChatCompletion
}

function inOrder(choices: readonly PartialChoice[]): readonly PartialChoice[] {
  return choices.length === 1 ? choices : [...choices].sort((a, b) => a.index - b.index)
}

function choiceOf(given: PartialChoice, index: number, newId: () => string, logprobsAsked: boolean): Choice {
  const { provider_specific_fields: fields } = given
  const choice: Choice = {
    index,
    message: messageOf(given.message, newId),
    logprobs: logprobsAsked ? (given.logprobs ?? null) : null,
    finish_reason: choiceFinishReason(given),
  }
  return fields === undefined ? choice : { ...choice, provider_specific_fields: fields }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** Adds members one by one, in the order of the protocol: spreading the optional ones costs more than all assignments. */
function messageOf(message: PartialMessage, newId: () => string): CompletionMessage {
  const { tool_calls: calls, function_call: call, reasoning_content, reasoning_details, audio } = message
  const called = calls !== undefined && calls.length > 0
  const refusal = message.refusal?.toWellFormed() || null
  const textless = called || call !== undefined || refusal !== null || audio !== undefined
  const reply: Partial<Writable<CompletionMessage>> = {
    role: 'assistant',
    content: message.content?.toWellFormed() || (textless ? null : ''),
  }
  if (reasoning_content) reply.reasoning_content = reasoning_content.toWellFormed()
  if (reasoning_details !== undefined) reply.reasoning_details = reasoning_details
  if (called) reply.tool_calls = completeToolCalls(calls, newId)
  if (call !== undefined) reply.function_call = { name: call.name ?? '', arguments: call.arguments || '{}' }
  if (audio !== undefined) reply.audio = audio
  reply.refusal = refusal
  reply.annotations = message.annotations ?? []
  if (message.citations !== undefined) reply.citations = message.citations
  const { provider_specific_fields: fields } = message
  if (fields !== undefined) reply.provider_specific_fields = fields
  return reply as CompletionMessage
}
