import type { PartialChunk, PartialMessage, PartialToolCall } from '@sluice/core/provider'
import { finishReason, stopSequenceFields } from '../claude/finish-reason.ts'
import { argumentsOf } from '../conversation/tool-arguments.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { answerChunks } from '../wire/parse-completion.ts'
import { AnswerParts } from './answer-parts.ts'
import { messagesErrorInBody, refusalText } from './errors.ts'
import { UsageCounts } from './usage.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Converts a message of the Messages API to chunks, block by block. Blocks of tools that the vendor ran itself and blocks of
 * unknown kinds are omitted.
 *
 * Throws `UpstreamError`: `refused` for an error body, `garbled` for what is no message.
 *
 * @param answerTool - the tool whose input is the answer, if there is one.
 */
export function messageChunks(value: unknown, answerTool: string | undefined): readonly PartialChunk[] {
  if (!isFields(value)) throw garbledResponse('a body that is no object')
  if (value.type === 'error' || isFields(value.error)) throw messagesErrorInBody(value)
  if (!Array.isArray(value.content)) throw garbledResponse('a body without content')
  const parts = new AnswerParts()
  const deltas = deltasOf(value.content.filter(isFields), answerTool, parts)
  const rest: Writable<PartialMessage> = {}
  if (parts.details !== undefined) rest.reasoning_details = parts.details
  if (parts.annotations !== undefined) rest.annotations = parts.annotations
  if (parts.citations !== undefined) rest.citations = parts.citations
  const refusal = refusalText(value.stop_reason, value.stop_details)
  if (refusal !== undefined) rest.refusal = refusal
  const usage = new UsageCounts()
  usage.add(value.usage)
  const called = deltas.some(delta => delta.tool_calls !== undefined)
  const model = textOf(value.model)
  return answerChunks(
    deltas,
    rest,
    finishReason(value.stop_reason, called),
    {
      ...(usage.partial === undefined ? {} : { usage: usage.partial }),
      ...(usage.serviceTier === undefined ? {} : { service_tier: usage.serviceTier }),
      ...(model ? { model } : {}),
    },
    stopSequenceFields(value.stop_sequence),
  )
}

/** Returns what each block adds. */
function deltasOf(
  blocks: readonly Fields[],
  answerTool: string | undefined,
  parts: AnswerParts,
): readonly PartialMessage[] {
  const deltas: PartialMessage[] = []
  let length = 0
  let calls = 0
  let answered = false
  const addText = (content: string) => {
    if (content !== '') deltas.push({ content })
    length += content.length
  }
  for (const block of blocks) {
    switch (block.type) {
      case 'text': {
        const start = length
        addText(textOf(block.text) ?? '')
        parts.cite(objectsOf(block.citations) ?? [], start, length)
        break
      }
      case 'thinking': {
        const reasoning = textOf(block.thinking) ?? ''
        if (reasoning !== '') deltas.push({ reasoning_content: reasoning })
        parts.think(reasoning, textOf(block.signature) ?? '', { text: length, calls })
        break
      }
      case 'redacted_thinking':
        parts.thinkSecretly(block.data, { text: length, calls })
        break
      case 'tool_use':
        if (answerTool === undefined || block.name !== answerTool) {
          deltas.push({ tool_calls: [callOf(block, calls++)] })
        } else if (!answered) {
          addText(argumentsOf(block.input))
          answered = true
        }
        break
      default:
        parts.leaveOut()
    }
  }
  return deltas
}

function callOf({ id, name, input }: Fields, index: number): PartialToolCall {
  const known = textOf(id)
  return {
    index,
    ...(known === undefined ? {} : { id: known }),
    type: 'function',
    function: { name: textOf(name) ?? '', arguments: argumentsOf(input) },
  }
}
