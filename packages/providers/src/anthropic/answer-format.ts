import type { Call, JsonObject } from '@sluice/core'
import { supportedSchema } from '../claude/structured-outputs.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import { isFields } from '../wire/json-value.ts'
import { answerTool, answerToolName, isAnswerFormat, schemaAsked } from './answer-tool.ts'
import type { ApiTool } from './tools.ts'

/** How the model is told in what form to answer. Each is absent where it is not needed. */
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
 * else, for JSON of any form, a line of the system text. All but the first are told of.
 *
 * Throws `GatewayError` (400) for a schema that a tool cannot have.
 */
export function answerFormat(call: Call, adjusting: Adjusting): AnswerFormat {
  const { input } = call
  const asked = input.response_format
  if (asked === undefined || asked.type === 'text') return {}
  if (isFields(input.output_config) && input.output_config.format !== undefined) {
    adjusting.drop('response_format', 'output_config.format was given too')
    return {}
  }
  const schema = schemaAsked(input)
  if (schema === undefined) {
    adjusting.map('response_format', 'asked for in the system text')
    return { line: 'Answer with one JSON object only: no other text, and no code fence around it.' }
  }
  if (isAnswerFormat(schema, call.model)) return { format: nativeFormat(call, schema, adjusting) }
  const name = answerToolName(call)
  if (name === undefined) {
    adjusting.drop('response_format', 'a tool is forced, which is the answer')
    return {}
  }
  adjusting.map('response_format', `the input of a forced tool, '${name}'`)
  return { tool: answerTool(name, input) }
}

function nativeFormat({ input }: Call, given: JsonObject, adjusting: Adjusting): JsonObject {
  const format = input.response_format
  const description = format?.type === 'json_schema' ? format.json_schema.description : undefined
  const { schema, changed } = supportedSchema(
    description === undefined || given.description !== undefined ? given : { description, ...given },
  )
  if (changed.length > 0) {
    adjusting.map('response_format.json_schema.schema', `formats take no ${changed.join(', ')} as given`)
  }
  return { type: 'json_schema', schema }
}
