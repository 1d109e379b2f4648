import type { ChatRequest, FunctionDefinition, JsonObject, ToolChoice } from '@sluice/core'
import { type Adjusting, cannotSend } from '../parameters/adjusting.ts'
import type { GeminiModel } from './models.ts'

/** The part of a request that tells of tools. */
export interface RequestTools {
  readonly tools?: readonly unknown[]
  readonly toolConfig?: unknown
}

const nameRule = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/

/**
 * The caller's tools as function declarations, and the choice among them. Throws `GatewayError` (400) for a
 * name that Gemini does not take, and for custom tools.
 */
export function requestTools(input: ChatRequest, model: GeminiModel, adjusting: Adjusting): RequestTools {
  const { tools = [], tool_choice: choice } = input
  if (tools.length === 0) return {}
  if (!model.tools) {
    adjusting.lack('tools', 'It calls no functions.')
    if (choice !== undefined) adjusting.drop('tool_choice')
    return {}
  }
  const functions: FunctionDefinition[] = []
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== 'function') {
      adjusting.lack(`tools[${index}]`, 'It calls functions only. Use a function with one string parameter.')
      continue
    }
    const { name } = tool.function
    const path = `tools[${index}].function.name`
    if (!nameRule.test(name)) {
      throw cannotSend(
        path,
        `Unsupported value: '${path}' has to begin with a letter or an underscore with this model.`,
      )
    }
    functions.push(tool.function)
  }
  if (functions.length === 0) {
    if (choice !== undefined) adjusting.drop('tool_choice')
    return {}
  }
  const calling = functionCalling(choice, functions, adjusting)
  return {
    tools: [{ functionDeclarations: functions.map(declaration) }],
    ...(calling === undefined ? {} : { toolConfig: { functionCallingConfig: calling } }),
  }
}

function declaration({ name, description, parameters }: FunctionDefinition): Record<string, unknown> {
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

interface FunctionCalling {
  readonly mode: 'ANY' | 'NONE' | 'VALIDATED'
  readonly allowedFunctionNames?: readonly string[]
}

/** `undefined` where the vendor's own way, AUTO, is what was asked. */
function functionCalling(
  choice: ToolChoice | undefined,
  functions: readonly FunctionDefinition[],
  adjusting: Adjusting,
): FunctionCalling | undefined {
  switch (choice) {
    case undefined:
    case 'auto':
      // The mode in which arguments are held to the schema; ANY holds them to it anyway.
      return functions.some(({ strict }) => strict === true) ? { mode: 'VALIDATED' } : undefined
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
  }
  if (choice.type === 'function') return { mode: 'ANY', allowedFunctionNames: [choice.function.name] }
  if (choice.type === 'custom') {
    adjusting.lackValue('tool_choice', 'custom', 'Choose a function.')
    return undefined
  }
  const { mode, tools } = choice.allowed_tools
  const allowedFunctionNames = tools.map(allowedName)
  // A list without names would be none at all: every function.
  if (tools.length === 0) return { mode: 'NONE' }
  if (mode === 'required') return { mode: 'ANY', allowedFunctionNames }
  // AUTO takes no names; the mode next to it does.
  adjusting.map('tool_choice', 'mode VALIDATED, which also holds arguments to their schema')
  return { mode: 'VALIDATED', allowedFunctionNames }
}

function allowedName(tool: JsonObject, index: number): string {
  const named = tool.function
  const name = typeof named === 'object' && named !== null && 'name' in named ? named.name : undefined
  if (tool.type === 'function' && typeof name === 'string') return name
  const path = `tool_choice.allowed_tools.tools[${index}]`
  throw cannotSend(path, `Unsupported value: '${path}' has to name a function with this model.`)
}
