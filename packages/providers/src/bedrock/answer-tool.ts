import type { Call, ChatRequest, JsonObject } from '@sluice/core'
import { schemaAsked } from '../anthropic/answer-tool.ts'
import { holdsMap } from '../claude/structured-outputs.ts'
import { isInputSchema } from '../claude/tools.ts'
import { isFields } from '../wire/json-value.ts'
import { type BedrockModel, bedrockModel } from './models.ts'

/**
 * The name of the tool by which the model gives an answer with a schema, where it has no better way; `undefined`
 * where there is no such tool. It follows from the call alone: who reads the answer has to know it too.
 */
export function answerToolName({ input, model: id }: Call): string | undefined {
  const model = bedrockModel(id)
  const schema = schemaAsked(input)
  if (schema === undefined || hasToCall(input) || ownFormat(input, model) !== undefined) return undefined
  if (model.toolChoice === 'auto' || isAnswerFormat(schema, model)) return undefined
  const taken = new Set(input.tools?.map(tool => (tool.type === 'function' ? tool.function.name : '')))
  let name = 'json'
  for (let count = 2; taken.has(name); count++) name = `json_${count}`
  return name
}

/**
 * Whether a model's answer can follow a schema by itself: the model has structured outputs, and no part of the answer
 * would be lost by them, unless the schema cannot be a tool's either.
 */
export function isAnswerFormat(schema: JsonObject, { structuredOutputs, toolChoice }: BedrockModel): boolean {
  return structuredOutputs && (toolChoice === 'auto' || !isInputSchema(schema) || !holdsMap(schema))
}

/** Whether one of the caller's tools has to be called: then that call is the answer, in whatever form. */
export function hasToCall({ tool_choice: choice, tools }: ChatRequest): boolean {
  if (tools === undefined || tools.length === 0 || choice === undefined) return false
  if (typeof choice === 'string') return choice === 'required'
  return choice.type !== 'allowed_tools' || choice.allowed_tools.mode === 'required'
}

/** The vendor's own field by which the caller says in what form to answer, where there is one: it holds. */
export function ownFormat(
  { outputConfig: own, output_config: ofClaude }: ChatRequest,
  { claude }: BedrockModel,
): string | undefined {
  if (isFields(own) && own.textFormat != null) return 'outputConfig.textFormat'
  const given = claude !== undefined && isFields(ofClaude) && ofClaude.format != null
  return given ? 'output_config.format' : undefined
}
