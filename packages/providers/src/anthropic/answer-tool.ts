import type { Call, ChatRequest, JsonObject } from '@sluice/core'
import { claudeModel } from '../claude/models.ts'
import { holdsMap } from '../claude/structured-outputs.ts'
import { inputSchema, isInputSchema } from '../claude/tools.ts'
import type { ApiTool } from './tools.ts'

/**
 * The name of the tool by which the model gives an answer with a schema, where it has no better way; `undefined`
 * where there is no such tool. It follows from the call alone: who reads the answer has to know it too.
 */
export function answerToolName({ input, model }: Call): string | undefined {
  const schema = schemaAsked(input)
  if (schema === undefined || isAnswerFormat(schema, model)) return undefined
  // A function that has to be called is the answer.
  if (mustCall(input)) return undefined
  const taken = new Set(input.tools?.map(tool => (tool.type === 'function' ? tool.function.name : '')))
  let name = 'json'
  for (let count = 2; taken.has(name); count++) name = `json_${count}`
  return name
}

/**
 * Whether a model's answer can follow a schema by itself: the model has structured outputs, and no part of the answer
 * would be lost by them, unless the schema cannot be a tool's either.
 */
export function isAnswerFormat(schema: JsonObject, model: string): boolean {
  const { structuredOutputs, forcedTools } = claudeModel(model)
  return structuredOutputs && (forcedTools === 'never' || !isInputSchema(schema) || !holdsMap(schema))
}

/** The tool itself. Throws `GatewayError` (400) for a schema whose root is no plain object. */
export function answerTool(name: string, input: ChatRequest): ApiTool {
  const format = input.response_format
  const { description, schema } = format?.type === 'json_schema' ? format.json_schema : {}
  return {
    name,
    description: description ?? 'Gives the answer to the user. Call it once, with the whole answer.',
    input_schema: inputSchema(schema, 'response_format.json_schema.schema'),
  }
}

/** The schema that the answer has to follow; `undefined` where none is given. */
export function schemaAsked({ response_format: format }: ChatRequest): JsonObject | undefined {
  return format?.type === 'json_schema' ? format.json_schema.schema : undefined
}

function mustCall({ tool_choice: choice }: ChatRequest): boolean {
  if (choice === 'required') return true
  if (typeof choice !== 'object') return false
  return choice.type !== 'allowed_tools' || choice.allowed_tools.mode === 'required'
}
