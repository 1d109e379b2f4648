import type { GatewayError } from '@sluice/core'
import { type CallTurnPart, memberPath, type Turn } from '@sluice/core/provider'
import type { AssistantToolCall, MergedTurn, ToolResult } from '../conversation/conversation.ts'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'

/**
 * Sees that each call has one result, in the turn after it, and that there are no other results: the vendor
 * refuses the conversation otherwise, in words that name none of the caller's messages. Throws `GatewayError` (400).
 */
export function checkToolPairs(turns: readonly MergedTurn[]): void {
  const waiting = new Map<CallTurnPart | undefined, AssistantToolCall>()
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      for (const item of turn.items) if (item.kind === 'call') waiting.set(item.part, item)
      continue
    }
    for (const result of turn.results) if (!waiting.delete(result.call)) throw answersNothing(result)
    checkNoneWaits(waiting)
  }
  checkNoneWaits(waiting)
}

function checkNoneWaits(waiting: ReadonlyMap<unknown, AssistantToolCall>): void {
  const [unanswered] = waiting.values()
  if (unanswered !== undefined) throw hasNoResult(unanswered)
}

function answersNothing(result: ToolResult): GatewayError {
  const param = memberPath(result, 'tool_call_id')
  return cannotSend(
    param,
    `Unsupported value: '${param}' answers no call of the assistant's message before it, or one that is answered already. This model takes one result for each call.`,
  )
}

function hasNoResult({ path }: AssistantToolCall): GatewayError {
  return cannotSend(
    path,
    `Unsupported value: '${path}' has no result. This model takes a call only with a message of role 'tool' right after it that answers it.`,
  )
}

/**
 * Refuses a conversation that does not begin with the user, or that ends with the assistant where the model does
 * not go on with its own words. Throws `GatewayError` (400).
 *
 * @param messages - what is sent.
 * @param given - the caller's turns, for the path of the one at fault.
 * @param adjuster - names what the caller sent.
 */
export function checkEnds(
  messages: readonly { readonly role: string }[],
  given: readonly Turn[],
  prefill: boolean,
  adjuster: ParameterAdjuster,
): void {
  const first = messages[0]
  if (first === undefined) {
    const param = adjuster.pathOf('messages')
    throw cannotSend(
      param,
      `Unsupported value: '${param}' holds no words of the user, which this model needs.`,
    )
  }
  if (first.role === 'assistant') {
    const param = given.find(({ role }) => role === 'assistant')?.path ?? 'messages'
    throw cannotSend(
      param,
      `Unsupported value: '${param}' begins the conversation, and this model takes only conversations that begin with the user.`,
    )
  }
  if (messages.at(-1)?.role === 'assistant' && !prefill) {
    const param = given.findLast(({ role }) => role === 'assistant')?.path ?? 'messages'
    throw cannotSend(
      param,
      `Unsupported value: '${param}' ends the conversation, and this model does not go on with words of the assistant. End with a message of the user.`,
    )
  }
}

/** Adds content to messages whose roles alternate. Adds nothing where there is none. */
export function addContent<Role extends string, Block>(
  messages: { readonly role: Role; readonly content: Block[] }[],
  role: Role,
  content: Block[],
): void {
  if (content.length === 0) return
  const last = messages.at(-1)
  // There may be more than a call takes arguments.
  if (last?.role === role) for (const block of content) last.content.push(block)
  else messages.push({ role, content })
}
