import type { Call, PartialCompletion, PartialMessage, PartialToolCall } from '@sluice/core/provider'
import { argumentsOf } from '../conversation/tool-arguments.ts'
import { failedGeneration, hasAnswer, isFailedGeneration } from '../wire/failed-generation.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { answerToolName } from './answer-format.ts'
import { AnswerParts } from './answer-parts.ts'
import { bedrockException } from './errors.ts'
import { bedrockModel } from './models.ts'
import { functionName, invokedModel, serviceTierOf, stopReason, usageOf } from './response-fields.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Converts a response of Converse to a completion. Results of the vendor's own tools and blocks of unknown kinds are
 * omitted, and so is the guardrail trace, because it contains the blocked text.
 *
 * Throws `UpstreamError`: `refused` for an error body, and where the model failed before it answered; `garbled` for what is no answer.
 */
export function completionOf(value: unknown, call: Call): PartialCompletion {
  if (!isFields(value)) throw garbledResponse('a body that is no object')
  const message = isFields(value.output) ? value.output.message : undefined
  if (!isFields(message) || !Array.isArray(message.content)) {
    const type = textOf(value.__type)
    if (type !== undefined || textOf(value.message) !== undefined) throw bedrockException(type ?? '', value)
    throw garbledResponse('a body without an output')
  }
  const parts = new AnswerParts(bedrockModel(call.model))
  const completed = messageOf(message.content.filter(isFields), answerToolName(call), parts)
  if (isFailedGeneration(value.stopReason) && !hasAnswer(completed)) throw failedGeneration()
  const usage = usageOf(value.usage)
  const tier = serviceTierOf(value.serviceTier)
  return {
    choices: [
      {
        index: 0,
        message: completed,
        finish_reason: stopReason(value.stopReason, completed.tool_calls !== undefined),
      },
    ],
    ...(usage === undefined ? {} : { usage }),
    ...(tier === undefined ? {} : { service_tier: tier }),
    ...invokedModel(value.trace),
  }
}

function messageOf(
  blocks: readonly Fields[],
  answerTool: string | undefined,
  parts: AnswerParts,
): PartialMessage {
  let content = ''
  let reasoning = ''
  let answer: string | undefined
  const calls: PartialToolCall[] = []
  const addText = (index: number, text: unknown) => {
    const added = textOf(text) ?? ''
    if (added !== '') parts.addText(index, added.length)
    content += added
  }
  for (const [index, block] of blocks.entries()) {
    if (block.text !== undefined) addText(index, block.text)
    else if (isFields(block.reasoningContent)) reasoning += reasoningOf(block.reasoningContent, parts)
    else if (isFields(block.citationsContent)) {
      const { citations, content: cited } = block.citationsContent
      for (const { text } of objectsOf(cited) ?? []) addText(index, text)
      for (const citation of objectsOf(citations) ?? []) parts.cite(index, citation)
      parts.close(index)
    } else if (isFields(block.toolUse) && block.toolUse.type !== 'server_tool_use') {
      const { toolUse } = block
      if (functionName(toolUse.name) !== answerTool) {
        calls.push(callOf(toolUse))
        parts.call()
      } else answer ??= argumentsOf(toolUse.input)
    }
  }
  const message: Writable<PartialMessage> = {}
  const { annotations, citations } = parts
  // Text beside an answer that a tool gave would make the JSON invalid.
  if (answer !== undefined) message.content = answer
  else {
    if (content !== '') message.content = content
    if (annotations !== undefined) message.annotations = annotations
    if (citations !== undefined) message.citations = citations
  }
  if (reasoning !== '') message.reasoning_content = reasoning
  if (parts.details !== undefined) message.reasoning_details = parts.details
  if (calls.length > 0) message.tool_calls = calls
  return message
}

function reasoningOf({ reasoningText, redactedContent }: Fields, parts: AnswerParts): string {
  parts.thinkSecretly(redactedContent)
  if (!isFields(reasoningText)) return ''
  const text = textOf(reasoningText.text) ?? ''
  parts.think(text, textOf(reasoningText.signature) ?? '')
  return text
}

function callOf({ toolUseId, name, input }: Fields): PartialToolCall {
  const id = textOf(toolUseId)
  return {
    ...(id === undefined ? {} : { id }),
    type: 'function',
    function: { name: functionName(name), arguments: argumentsOf(input) },
  }
}
