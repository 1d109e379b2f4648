import type { Call, JsonObject } from '@sluice/core'
import { schemaAsked } from '../anthropic/answer-tool.ts'
import { supportedSchema } from '../claude/structured-outputs.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import { answerToolName, hasToCall, isAnswerFormat, ownFormat } from './answer-tool.ts'
import { bedrockModel } from './models.ts'
import { type ToolBlock, toolSchema } from './tools.ts'

/** How the model is told in what form to answer. Each is absent where it is not needed. */
export interface AnswerFormat {
  /** The request's `outputConfig.textFormat`. */
  readonly textFormat?: JsonObject
  /** A tool that has to be called, and whose input is the answer. */
  readonly tool?: { readonly name: string; readonly block: ToolBlock }
  /** A line of the system text. */
  readonly line?: string
}

const only = 'no other text, and no code fence around it.'

/**
 * `response_format` in Bedrock's terms: its own format where the model has it, else a tool that is forced, else,
 * where no tool can be forced and for JSON of any form, a line of the system text. All but the first are told of.
 *
 * Throws `GatewayError` (400) for a schema that a tool cannot have.
 */
export function answerFormat(call: Call, adjusting: Adjusting): AnswerFormat {
  const { input } = call
  const asked = input.response_format
  if (asked === undefined || asked.type === 'text') return {}
  const model = bedrockModel(call.model)
  const own = ownFormat(input, model)
  if (own !== undefined) {
    adjusting.drop('response_format', `${own} was given too`)
    return {}
  }
  const schema = schemaAsked(input)
  if (schema === undefined) {
    adjusting.map('response_format', 'asked for in the system text')
    return { line: `Answer with one JSON object only: ${only}` }
  }
  if (isAnswerFormat(schema, model)) return { textFormat: textFormat(call, schema, adjusting) }
  const name = answerToolName(call)
  if (name !== undefined) {
    adjusting.map('response_format', `the input of a forced tool, '${name}'`)
    return { tool: { name, block: answerTool(name, call, model.claude !== undefined) } }
  }
  if (hasToCall(input)) {
    adjusting.drop('response_format', 'a tool is forced, which is the answer')
    return {}
  }
  adjusting.map('response_format', 'asked for in the system text, with its schema')
  return {
    line: `Answer with one JSON value only, which matches this JSON Schema: ${JSON.stringify(schema)}\nThere must be ${only}`,
  }
}

function textFormat({ input }: Call, given: JsonObject, adjusting: Adjusting): JsonObject {
  const format = input.response_format
  const { name = 'answer', description } = format?.type === 'json_schema' ? format.json_schema : {}
  const { schema, changed } = supportedSchema(given)
  if (changed.length > 0) {
    adjusting.map('response_format.json_schema.schema', `formats take no ${changed.join(', ')} as given`)
  }
  return {
    type: 'json_schema',
    structure: {
      jsonSchema: {
        name,
        ...(description ? { description } : {}),
        schema: JSON.stringify(schema),
      },
    },
  }
}

function answerTool(name: string, { input }: Call, claude: boolean): ToolBlock {
  const format = input.response_format
  const { description, schema } = format?.type === 'json_schema' ? format.json_schema : {}
  return {
    toolSpec: {
      name,
      description: description || 'Gives the answer to the user. Call it once, with the whole answer.',
      inputSchema: { json: toolSchema(schema, 'response_format.json_schema.schema', claude) },
    },
  }
}
