import type { Call, ChatRequest, JsonObject } from '@sluice/core/provider'
import {
  answerToolDescription,
  freeToolName,
  isAnswerFormat,
  requestedSchema,
} from '../claude/answer-tool.ts'
import { supportedSchema } from '../claude/structured-outputs.ts'
import { forcesTool, inputSchema } from '../claude/tools.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'
import { type BedrockModel, bedrockModel } from './models.ts'
import type { ToolBlock } from './tools.ts'

/** The parts of a request that set the response format. Each is absent if it is not needed. */
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
 * where no tool can be forced and for JSON of any form, a line of the system text. All but the first are reported.
 *
 * Throws `GatewayError` (400) for a schema that a tool cannot have.
 */
export function answerFormat(call: Call, adjuster: ParameterAdjuster): AnswerFormat {
  const { input } = call
  const asked = input.response_format
  if (asked === undefined || asked.type === 'text') return {}
  const model = bedrockModel(call.model)
  const own = ownFormat(input, model)
  if (own !== undefined) {
    adjuster.drop('response_format', `${own} was given too`)
    return {}
  }
  const schema = requestedSchema(input)
  if (schema === undefined) {
    adjuster.map('response_format', 'asked for in the system text')
    return { line: `Answer with one JSON object only: ${only}` }
  }
  if (isOwnFormat(schema, model)) return { textFormat: textFormat(call, schema, adjuster) }
  const name = answerToolName(call)
  if (name !== undefined) {
    adjuster.map('response_format', `the input of a forced tool, '${name}'`)
    return { tool: { name, block: answerTool(name, call, model.claude !== undefined) } }
  }
  if (hasToCall(input)) {
    adjuster.drop('response_format', 'a tool is forced, which is the answer')
    return {}
  }
  adjuster.map('response_format', 'asked for in the system text, with its schema')
  return {
    line: `Answer with one JSON value only, which matches this JSON Schema: ${JSON.stringify(schema)}\nThere must be ${only}`,
  }
}

function textFormat({ input }: Call, given: JsonObject, adjuster: ParameterAdjuster): JsonObject {
  const format = input.response_format
  const { name = 'answer', description } = format?.type === 'json_schema' ? format.json_schema : {}
  const { schema, changed } = supportedSchema(given)
  if (changed.length > 0) {
    adjuster.map('response_format.json_schema.schema', `formats take no ${changed.join(', ')} as given`)
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
      description: description || answerToolDescription,
      inputSchema: { json: inputSchema(schema, 'response_format.json_schema.schema', claude) },
    },
  }
}

/**
 * The name of the tool by which the model gives an answer with a schema, where it has no better way; `undefined`
 * where there is no such tool. It follows from the call alone: who reads the answer has to know it too.
 */
export function answerToolName({ input, model: id }: Call): string | undefined {
  const model = bedrockModel(id)
  const schema = requestedSchema(input)
  if (schema === undefined || hasToCall(input) || ownFormat(input, model) !== undefined) return undefined
  return model.toolChoice === 'auto' || isOwnFormat(schema, model) ? undefined : freeToolName(input)
}

function isOwnFormat(schema: JsonObject, { structuredOutputs, toolChoice }: BedrockModel): boolean {
  return isAnswerFormat(schema, structuredOutputs, toolChoice !== 'auto')
}

/** Whether one of the caller's tools has to be called: then that call is the answer, in whatever form. */
function hasToCall({ tool_choice: choice, tools }: ChatRequest): boolean {
  return tools !== undefined && tools.length > 0 && forcesTool(choice)
}

/** The vendor's own field by which the caller says in what form to answer, where there is one: it holds. */
function ownFormat(
  { outputConfig: own, output_config: ofClaude }: ChatRequest,
  { claude }: BedrockModel,
): string | undefined {
  if (isFields(own) && own.textFormat != null) return 'outputConfig.textFormat'
  const given = claude !== undefined && isFields(ofClaude) && ofClaude.format != null
  return given ? 'output_config.format' : undefined
}
