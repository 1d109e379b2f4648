import type { Call, ChatRequest, JsonObject } from '@sluice/core/provider'
import {
  answerToolDescription,
  freeToolName,
  isAnswerFormat,
  requestedSchema,
} from '../claude/answer-tool.ts'
import { claudeModel } from '../claude/models.ts'
import { supportedSchema } from '../claude/structured-outputs.ts'
import { forcesTool, inputSchema } from '../claude/tools.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'
import type { ApiTool } from './tools.ts'

/** The parts of a request that set the response format. Each is absent if it is not needed. */
export interface AnswerFormat {
  /** The request's `output_config.format`. */
  readonly format?: JsonObject
  /** A tool that has to be called, and whose input is the answer. */
  readonly tool?: ApiTool
  /** A line of the system text. */
  readonly line?: string
}

/**
 * `response_format` in the vendor's terms: its own format where the model has it, else a tool that is forced,
 * else, for JSON of any form, a line of the system text. All but the first are reported.
 *
 * Throws `GatewayError` (400) for a schema that a tool cannot have.
 */
export function answerFormat(call: Call, adjuster: ParameterAdjuster): AnswerFormat {
  const { input } = call
  const asked = input.response_format
  if (asked === undefined || asked.type === 'text') return {}
  if (isFields(input.output_config) && input.output_config.format !== undefined) {
    adjuster.drop('response_format', 'output_config.format was given too')
    return {}
  }
  const schema = requestedSchema(input)
  if (schema === undefined) {
    adjuster.map('response_format', 'asked for in the system text')
    return { line: 'Answer with one JSON object only: no other text, and no code fence around it.' }
  }
  if (isOwnFormat(schema, call.model)) return { format: nativeFormat(call, schema, adjuster) }
  const name = answerToolName(call)
  if (name === undefined) {
    adjuster.drop('response_format', 'a tool is forced, which is the answer')
    return {}
  }
  adjuster.map('response_format', `the input of a forced tool, '${name}'`)
  return { tool: answerTool(name, input) }
}

function nativeFormat({ input }: Call, given: JsonObject, adjuster: ParameterAdjuster): JsonObject {
  const format = input.response_format
  const description = format?.type === 'json_schema' ? format.json_schema.description : undefined
  const { schema, changed } = supportedSchema(
    description === undefined || given.description !== undefined ? given : { description, ...given },
  )
  if (changed.length > 0) {
    adjuster.map('response_format.json_schema.schema', `formats take no ${changed.join(', ')} as given`)
  }
  return { type: 'json_schema', schema }
}

/**
 * The name of the tool by which the model gives an answer with a schema, where it has no better way; `undefined`
 * where there is no such tool. It follows from the call alone: who reads the answer has to know it too.
 */
export function answerToolName({ input, model }: Call): string | undefined {
  const schema = requestedSchema(input)
  if (schema === undefined || isOwnFormat(schema, model)) return undefined
  // A function that has to be called is the answer.
  return forcesTool(input.tool_choice) ? undefined : freeToolName(input)
}

function isOwnFormat(schema: JsonObject, model: string): boolean {
  const { structuredOutputs, forcedTools } = claudeModel(model)
  return isAnswerFormat(schema, structuredOutputs, forcedTools !== 'never')
}

/** The tool itself. Throws `GatewayError` (400) for a schema whose root is no plain object. */
function answerTool(name: string, input: ChatRequest): ApiTool {
  const format = input.response_format
  const { description, schema } = format?.type === 'json_schema' ? format.json_schema : {}
  return {
    name,
    description: description ?? answerToolDescription,
    input_schema: inputSchema(schema, 'response_format.json_schema.schema'),
  }
}
