import type { Call, PartialChunk, PartialMessage, PartialToolCall } from '@sluice/core/provider'
import { argumentsOf } from '../conversation/tool-arguments.ts'
import { failedGeneration, hasAnswer, isFailedGeneration } from '../wire/failed-generation.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { answerChunks } from '../wire/parse-completion.ts'
import { answerToolName } from './answer-format.ts'
import { AnswerParts } from './answer-parts.ts'
import { bedrockException } from './errors.ts'
import { bedrockModel } from './models.ts'
import {
  functionName,
  invokedModel,
  serviceTierOf,
  stopReason,
  stopSequenceOf,
  usageOf,
} from './response-fields.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Converts a response of Converse to chunks, block by block. Results of the vendor's own tools and blocks of unknown kinds are
 * omitted, and so is the guardrail trace, because it contains the blocked text.
 *
 * Throws `UpstreamError`: `refused` for an error body, and where the model failed before it answered; `garbled` for what is no answer.
 */
export function converseChunks(value: unknown, call: Call): readonly PartialChunk[] {
  if (!isFields(value)) throw garbledResponse('a body that is no object')
  const message = isFields(value.output) ? value.output.message : undefined
  if (!isFields(message) || !Array.isArray(message.content)) {
    const type = textOf(value.__type)
    if (type !== undefined || textOf(value.message) !== undefined) throw bedrockException(type ?? '', value)
    throw garbledResponse('a body without an output')
  }
  const parts = new AnswerParts(bedrockModel(call.model))
  const { deltas, rest } = readBlocks(message.content.filter(isFields), answerToolName(call), parts)
  if (isFailedGeneration(value.stopReason) && !deltas.some(hasAnswer)) throw failedGeneration()
  const called = deltas.some(delta => delta.tool_calls !== undefined)
  const usage = usageOf(value.usage)
  const tier = serviceTierOf(value.serviceTier)
  return answerChunks(
    deltas,
    rest,
    stopReason(value.stopReason, called),
    {
      ...(usage === undefined ? {} : { usage }),
      ...(tier === undefined ? {} : { service_tier: tier }),
      ...invokedModel(value.trace),
    },
    stopSequenceOf(value),
  )
}

/** Returns what each block adds, and what is complete only at the end. */
function readBlocks(
  blocks: readonly Fields[],
  answerTool: string | undefined,
  parts: AnswerParts,
): { readonly deltas: readonly PartialMessage[]; readonly rest: PartialMessage } {
  const deltas: PartialMessage[] = []
  let answer: PartialMessage | undefined
  let calls = 0
  const addText = (index: number, text: unknown) => {
    const content = textOf(text) ?? ''
    if (content === '') return
    parts.addText(index, content.length)
    deltas.push({ content })
  }
  for (const [index, block] of blocks.entries()) {
    if (block.text !== undefined) addText(index, block.text)
    else if (isFields(block.reasoningContent)) {
      const reasoning = reasoningOf(block.reasoningContent, parts)
      if (reasoning !== '') deltas.push({ reasoning_content: reasoning })
    } else if (isFields(block.citationsContent)) {
      const { citations, content: cited } = block.citationsContent
      for (const { text } of objectsOf(cited) ?? []) addText(index, text)
      for (const citation of objectsOf(citations) ?? []) parts.cite(index, citation)
      parts.close(index)
    } else if (isFields(block.toolUse) && block.toolUse.type !== 'server_tool_use') {
      const { toolUse } = block
      if (functionName(toolUse.name) !== answerTool) {
        deltas.push({ tool_calls: [callOf(toolUse, calls++)] })
        parts.call()
      } else if (answer === undefined) {
        answer = { content: argumentsOf(toolUse.input) }
        deltas.push(answer)
      }
    }
  }
  const rest: Writable<PartialMessage> = {}
  const { annotations, citations, details } = parts
  if (answer === undefined) {
    if (annotations !== undefined) rest.annotations = annotations
    if (citations !== undefined) rest.citations = citations
  }
  if (details !== undefined) rest.reasoning_details = details
  // Text beside an answer that a tool gave would make the JSON invalid.
  const kept = (delta: PartialMessage) => delta === answer || delta.content === undefined
  return { deltas: answer === undefined ? deltas : deltas.filter(kept), rest }
}

function reasoningOf({ reasoningText, redactedContent }: Fields, parts: AnswerParts): string {
  parts.thinkSecretly(redactedContent)
  if (!isFields(reasoningText)) return ''
  const text = textOf(reasoningText.text) ?? ''
  parts.think(text, textOf(reasoningText.signature) ?? '')
  return text
}

function callOf({ toolUseId, name, input }: Fields, index: number): PartialToolCall {
  const id = textOf(toolUseId)
  return {
    index,
    ...(id === undefined ? {} : { id }),
    type: 'function',
    function: { name: functionName(name), arguments: argumentsOf(input) },
  }
}
