import type { PartialCompletion, PartialMessage, PartialToolCall } from '@sluice/core/provider'
import { finishReason } from '../claude/finish-reason.ts'
import type { ReasoningPosition } from '../conversation/reasoning-blocks.ts'
import { argumentsOf } from '../conversation/tool-arguments.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { AnswerParts } from './answer-parts.ts'
import { messagesErrorInBody, refusalText } from './errors.ts'
import { UsageCounts } from './usage.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Converts a message of the Messages API to a completion. Blocks of tools that the vendor ran itself and blocks of unknown
 * kinds are omitted.
 *
 * Throws `UpstreamError`: `refused` for an error body, `garbled` for what is no message.
 *
 * @param answerTool - the tool whose input is the answer, if there is one.
 */
export function completionOf(value: unknown, answerTool: string | undefined): PartialCompletion {
  if (!isFields(value)) throw garbledResponse('a body that is no object')
  if (value.type === 'error' || isFields(value.error)) throw messagesErrorInBody(value)
  if (!Array.isArray(value.content)) throw garbledResponse('a body without content')
  const parts = new AnswerParts()
  const message = messageOf(value.content.filter(isFields), answerTool, parts)
  if (parts.details !== undefined) message.reasoning_details = parts.details
  if (parts.annotations !== undefined) message.annotations = parts.annotations
  if (parts.citations !== undefined) message.citations = parts.citations
  const refusal = refusalText(value.stop_reason, value.stop_details)
  if (refusal !== undefined) message.refusal = refusal
  const usage = new UsageCounts()
  usage.add(value.usage)
  const finish_reason = finishReason(value.stop_reason, message.tool_calls !== undefined)
  const model = textOf(value.model)
  return {
    choices: [{ index: 0, message, finish_reason }],
    ...(usage.partial === undefined ? {} : { usage: usage.partial }),
    ...(usage.serviceTier === undefined ? {} : { service_tier: usage.serviceTier }),
    ...(model ? { model } : {}),
  }
}

function messageOf(
  blocks: readonly Fields[],
  answerTool: string | undefined,
  parts: AnswerParts,
): Writable<PartialMessage> {
  let content = ''
  let reasoning = ''
  let answered = false
  const calls: PartialToolCall[] = []
  for (const block of blocks) {
    switch (block.type) {
      case 'text': {
        const start = content.length
        content += textOf(block.text) ?? ''
        parts.cite(objectsOf(block.citations) ?? [], start, content.length)
        break
      }
      case 'thinking':
        reasoning += textOf(block.thinking) ?? ''
        parts.think(textOf(block.thinking) ?? '', textOf(block.signature) ?? '', positionOf(content, calls))
        break
      case 'redacted_thinking':
        parts.thinkSecretly(block.data, positionOf(content, calls))
        break
      case 'tool_use':
        if (answerTool === undefined || block.name !== answerTool) calls.push(callOf(block))
        else if (!answered) {
          content += argumentsOf(block.input)
          answered = true
        }
        break
      default:
        parts.leaveOut()
    }
  }
  const message: Writable<PartialMessage> = {}
  if (content !== '') message.content = content
  if (reasoning !== '') message.reasoning_content = reasoning
  if (calls.length > 0) message.tool_calls = calls
  return message
}

function positionOf(content: string, calls: readonly PartialToolCall[]): ReasoningPosition {
  return { text: content.length, calls: calls.length }
}

function callOf({ id, name, input }: Fields): PartialToolCall {
  const known = textOf(id)
  return {
    ...(known === undefined ? {} : { id: known }),
    type: 'function',
    function: { name: textOf(name) ?? '', arguments: argumentsOf(input) },
  }
}
