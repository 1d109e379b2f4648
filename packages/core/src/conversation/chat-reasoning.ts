import type { Message } from '../protocol/chat.ts'
import type { Adjustment } from './adjustment.ts'
import { isObject } from './extra-members.ts'

/** The messages of a chat completion without what vendors want back of their answers. */
export interface UnreasonedMessages {
  readonly messages: readonly Message[]
  /** What was left out. */
  readonly adjustments: readonly Adjustment[]
}

const why = 'the vendor refused it'

/**
 * Returns messages without the signatures and the encrypted reasoning of earlier answers: those of `reasoning_details`, and the
 * `extra_content` of calls. `undefined` if there are none.
 */
export function withoutChatReasoning(given: readonly Message[]): UnreasonedMessages | undefined {
  const adjustments: Adjustment[] = []
  const drop = (parameter: string) => adjustments.push({ parameter, action: 'dropped', detail: why })
  const messages = given.map((message, index) => {
    if (message.role !== 'assistant') return message
    const path = `messages[${index}]`
    const { reasoning_details: details, ...rest } = message as Message & {
      readonly reasoning_details?: unknown
    }
    const kept = Array.isArray(details) ? details.filter(detail => !isChecked(detail)) : undefined
    const isReasoned = kept !== undefined && kept.length < (details as readonly unknown[]).length
    if (isReasoned) drop(`${path}.reasoning_details`)
    const calls = message.tool_calls?.map((call, at) => {
      if (!('extra_content' in call) || call.extra_content == null) return call
      drop(`${path}.tool_calls[${at}].extra_content`)
      const { extra_content: _, ...plain } = call
      return plain
    })
    return {
      ...(isReasoned ? { ...rest, ...(kept.length > 0 && { reasoning_details: kept }) } : message),
      ...(calls !== undefined && { tool_calls: calls }),
    } as Message
  })
  return adjustments.length === 0 ? undefined : { messages, adjustments }
}

function isChecked(detail: unknown): boolean {
  return isObject(detail) && (isText(detail.signature) || isText(detail.data))
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
