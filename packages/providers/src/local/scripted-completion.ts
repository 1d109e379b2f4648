import type { ChatRequest, FinishReason, JsonObject } from '@sluice/core'
import type { AnswerChoice, Completion } from './completion.ts'
import { hashedId } from './hash.ts'
import type { Mishap } from './mishap.ts'
import { countPromptTokens } from './prompt.ts'
import { errorBody, type RefusalDetails } from './refused.ts'
import type { ScriptedError, ScriptedReply } from './script.ts'
import { tokens } from './tokens.ts'
import { countCompletionTokens } from './usage.ts'

/** A script's answer as a completion; `seed` makes the ids of its tool calls. */
export function scriptedCompletion(reply: ScriptedReply, request: ChatRequest, seed: string): Completion {
  const choices = Array.from({ length: request.n ?? 1 }, (_, index) => choiceOf(reply, `${seed}:${index}`))
  const counted = {
    prompt_tokens: countPromptTokens(request),
    completion_tokens: countCompletionTokens(choices),
  }
  return {
    choices,
    usage: reply.usage === null ? null : { ...counted, ...reply.usage },
    ...(request.logprobs === true ? { topLogprobs: request.top_logprobs ?? 0 } : {}),
  }
}

/** What a script lets go wrong in the middle of its answer. */
export function scriptedMishap(reply: ScriptedReply): Mishap | undefined {
  if (reply.cutAfter !== undefined) return { kind: 'cut', after: reply.cutAfter }
  if (reply.malformedAfter !== undefined) return { kind: 'malformed', after: reply.malformedAfter }
  if (reply.hang === 'after-headers') return { kind: 'hang', after: -1 }
  if (typeof reply.hang === 'number') return { kind: 'hang', after: reply.hang }
  if (reply.errorAfter === undefined) return undefined
  return { kind: 'error', after: reply.errorAfter, error: errorBody(scriptedRefusal(reply.error ?? {})) }
}

/** A script's error with its defaults. */
export function scriptedRefusal({ status = 500, message, ...rest }: ScriptedError): RefusalDetails {
  return { status, message: message ?? `The script of local() answers with status ${status}.`, ...rest }
}

function choiceOf(reply: ScriptedReply, seed: string): AnswerChoice {
  const { text, chunks, refusal, reasoning, toolCalls, functionCall } = reply
  const content = chunks ?? (text === undefined ? undefined : tokens(text))
  return {
    finishReason: reply.finishReason ?? usualReason(reply),
    ...(content === undefined ? {} : { content }),
    ...(refusal === undefined ? {} : { refusal: tokens(refusal) }),
    ...(reasoning === undefined ? {} : { reasoning: tokens(reasoning) }),
    ...(functionCall === undefined
      ? {}
      : { functionCall: { name: functionCall.name, input: tokens(asText(functionCall.arguments)) } }),
    ...(toolCalls === undefined
      ? {}
      : {
          calls: toolCalls.map((call, at) => ({
            type: call.input === undefined ? ('function' as const) : ('custom' as const),
            id: call.id ?? `call_${hashedId(`${seed}:${at}`)}`,
            name: call.name,
            input: tokens(call.input ?? asText(call.arguments)),
          })),
        }),
  }
}

function usualReason({ toolCalls, functionCall }: ScriptedReply): FinishReason {
  if (toolCalls !== undefined && toolCalls.length > 0) return 'tool_calls'
  return functionCall === undefined ? 'stop' : 'function_call'
}

function asText(value: string | JsonObject | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {})
}
