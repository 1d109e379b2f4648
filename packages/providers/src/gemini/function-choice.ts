import type { FunctionDefinition, JsonObject, ToolChoice } from '@sluice/core/provider'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import type { GoogleApi } from './models.ts'

/** A function of the caller, and its `path` in the request. */
export interface GivenFunction {
  readonly definition: FunctionDefinition
  readonly path: string
}

/** The functions in a request, and how the model may call them. */
export interface FunctionChoice {
  readonly declared: readonly GivenFunction[]
  /** A `FunctionCallingConfig`; absent for the vendor's default, AUTO. */
  readonly calling?: {
    readonly mode: 'ANY' | 'NONE' | 'VALIDATED'
    readonly allowedFunctionNames?: readonly string[]
  }
}

/**
 * `tool_choice` in Gemini's modes. ANY holds arguments to their schema anyway; the mode that does so where the
 * model may also speak, VALIDATED, is not in the version 1 of Vertex AI (FunctionCallingConfig). Throws
 * `GatewayError` (400) for custom tools.
 */
export function functionChoice(
  choice: ToolChoice | undefined,
  functions: readonly GivenFunction[],
  api: GoogleApi,
  adjuster: ParameterAdjuster,
): FunctionChoice {
  switch (choice) {
    case undefined:
    case 'auto':
      return free(functions, api, adjuster)
    case 'none':
      return { declared: functions, calling: { mode: 'NONE' } }
    case 'required':
      return { declared: functions, calling: { mode: 'ANY' } }
  }
  if (choice.type === 'function') {
    const allowedFunctionNames = [choice.function.name]
    return { declared: functions, calling: { mode: 'ANY', allowedFunctionNames } }
  }
  if (choice.type === 'custom') {
    adjuster.unsupportedValue('tool_choice', 'custom', 'Choose a function.')
    return { declared: functions }
  }
  const { mode, tools } = choice.allowed_tools
  const names = tools.map((tool, index) => allowedName(tool, index, functions))
  // A list without names would be none at all: every function.
  if (names.length === 0) return { declared: functions, calling: { mode: 'NONE' } }
  if (mode === 'required') {
    return { declared: functions, calling: { mode: 'ANY', allowedFunctionNames: names } }
  }
  // AUTO takes no names.
  if (api === 'vertex') {
    adjuster.map('tool_choice', 'auto among these tools; the others are left out')
    const allowed = functions.filter(({ definition }) => names.includes(definition.name))
    return free(allowed, api, adjuster)
  }
  adjuster.map('tool_choice', 'mode VALIDATED, which also holds arguments to their schema')
  return { declared: functions, calling: { mode: 'VALIDATED', allowedFunctionNames: names } }
}

/** The model speaks or calls, as it sees fit. */
function free(
  functions: readonly GivenFunction[],
  api: GoogleApi,
  adjuster: ParameterAdjuster,
): FunctionChoice {
  const strict = functions.filter(({ definition }) => definition.strict === true)
  if (strict.length > 0 && api !== 'vertex') return { declared: functions, calling: { mode: 'VALIDATED' } }
  for (const { path } of strict) adjuster.drop(`${path}.strict`, 'only where a call is required')
  return { declared: functions }
}

function allowedName(tool: JsonObject, index: number, functions: readonly GivenFunction[]): string {
  const named = tool.function
  const name = typeof named === 'object' && named !== null && 'name' in named ? named.name : undefined
  const known = functions.some(({ definition }) => definition.name === name)
  if (tool.type === 'function' && typeof name === 'string' && known) return name
  const path = `tool_choice.allowed_tools.tools[${index}]`
  throw cannotSend(path, `Unsupported value: '${path}' has to name a function of 'tools' with this model.`)
}
