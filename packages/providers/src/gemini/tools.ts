import type { ChatRequest, JsonObject, Tool } from '@sluice/core/provider'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { functionChoice, type GivenFunction } from './function-choice.ts'
import type { GeminiModel, GoogleApi } from './models.ts'

/** The part of a request with its tools. */
export interface RequestTools {
  readonly tools?: readonly unknown[]
  readonly toolConfig?: unknown
}

const nameRule = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/

/**
 * The caller's tools as function declarations, and the choice among them. Throws `GatewayError` (400) for a
 * name that Gemini does not take, and for custom tools.
 */
export function requestTools(
  { tools = [], tool_choice: choice }: ChatRequest,
  model: GeminiModel,
  api: GoogleApi,
  adjuster: ParameterAdjuster,
): RequestTools {
  if (tools.length === 0) return {}
  if (!model.tools) adjuster.unsupported('tools', 'It calls no functions.')
  const functions = model.tools ? functionsOf(tools, adjuster) : []
  if (functions.length === 0) {
    if (choice !== undefined) adjuster.drop('tool_choice')
    return {}
  }
  const { declared, calling } = functionChoice(choice, functions, api, adjuster)
  return {
    tools: [{ functionDeclarations: declared.map(declaration) }],
    ...(calling === undefined ? {} : { toolConfig: { functionCallingConfig: calling } }),
  }
}

function functionsOf(tools: readonly Tool[], adjuster: ParameterAdjuster): GivenFunction[] {
  const functions: GivenFunction[] = []
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== 'function') {
      adjuster.unsupported(
        `tools[${index}]`,
        'It calls functions only. Use a function with one string parameter.',
      )
      continue
    }
    const path = `tools[${index}].function`
    if (!nameRule.test(tool.function.name)) {
      throw cannotSend(
        `${path}.name`,
        `Unsupported value: '${path}.name' has to begin with a letter or an underscore with this model.`,
      )
    }
    functions.push({ definition: tool.function, path })
  }
  return functions
}

function declaration({
  definition: { name, description, parameters },
}: GivenFunction): Record<string, unknown> {
  return {
    name,
    ...(description === undefined || description === '' ? {} : { description }),
    ...(parameters === undefined || Object.keys(parameters).length === 0
      ? {}
      : { parametersJsonSchema: objectSchema(parameters) }),
  }
}

/** The whole schema: `parameters`, the older field, would take a part of it. Vertex AI insists on a type. */
function objectSchema(schema: JsonObject): JsonObject {
  const typed = ['type', '$ref', 'anyOf', 'oneOf', 'allOf'].some(keyword => schema[keyword] !== undefined)
  return typed ? schema : { type: 'object', ...schema }
}
