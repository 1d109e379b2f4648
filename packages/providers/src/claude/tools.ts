import type { ChatRequest, FunctionTool, JsonObject, Tool, ToolChoice } from '@sluice/core/provider'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import type { ClaudeModel } from './models.ts'

/** The Messages API's `tool_choice`. */
export interface ApiToolChoice {
  readonly type: 'auto' | 'any' | 'tool' | 'none'
  readonly name?: string
  readonly disable_parallel_tool_use?: true
}

/**
 * Which tools may or have to be called; `undefined` for what the vendor does by itself. A forced tool that the
 * model does not take, as most do not while they think, is refused or left out as the gateway's owner chose.
 *
 * Throws `GatewayError` (400), also for a choice that there are no tools for.
 */
export function apiToolChoice(
  { tool_choice: choice, parallel_tool_calls: parallel }: ChatRequest,
  hasTools: boolean,
  thinking: boolean,
  model: Pick<ClaudeModel, 'forcedTools'>,
  adjuster: ParameterAdjuster,
): ApiToolChoice | undefined {
  let chosen = choiceOf(choice)
  const forced = chosen.type === 'any' || chosen.type === 'tool'
  if (!hasTools) {
    if (forced)
      throw cannotSend(
        'tool_choice',
        "Unsupported value: 'tool_choice' asks for a tool, and there are no 'tools'.",
      )
    return undefined
  }
  if (forced && !forcible(model, thinking)) {
    const mend =
      model.forcedTools === 'never'
        ? "It takes 'auto' and 'none'."
        : `Leave out '${adjuster.pathOf('reasoning_effort')}' to force a tool: this model does not think then.`
    adjuster.unsupported('tool_choice', mend)
    chosen = { type: 'auto' }
  }
  if (parallel === false && chosen.type !== 'none') return { ...chosen, disable_parallel_tool_use: true }
  return choice === undefined ? undefined : chosen
}

/** Whether a tool may be forced on a model that thinks in this request, or does not. */
export function forcible({ forcedTools }: Pick<ClaudeModel, 'forcedTools'>, thinking: boolean): boolean {
  return forcedTools === 'always' || (forcedTools === 'unthinking' && !thinking)
}

function choiceOf(choice: ToolChoice | undefined): ApiToolChoice {
  if (choice === undefined || choice === 'auto') return { type: 'auto' }
  if (choice === 'none') return { type: 'none' }
  if (choice === 'required') return { type: 'any' }
  switch (choice.type) {
    case 'function':
      return { type: 'tool', name: choice.function.name }
    case 'allowed_tools':
      return { type: choice.allowed_tools.mode === 'required' ? 'any' : 'auto' }
    case 'custom':
      throw cannotSend(
        'tool_choice',
        "Unsupported value: 'tool_choice' names a custom tool, and this model takes only functions.",
      )
  }
}

/**
 * A function's parameters as a tool's `input_schema`: whole, with `type: 'object'` where none was given.
 *
 * Throws `GatewayError` (400) for a root of another type; for Claude also for one that is combined of others.
 *
 * @param param - its path in the caller's request: `tools[0].function.parameters`.
 */
export function inputSchema(parameters: JsonObject | undefined, param: string, isClaude = true): JsonObject {
  if (parameters === undefined) return { type: 'object', properties: {} }
  const { type } = parameters
  const combined = isClaude ? combinedBy(parameters) : undefined
  if (type !== undefined && type !== 'object') {
    throw cannotSend(
      param,
      `Unsupported value: '${param}' is of type ${JSON.stringify(type)?.slice(0, 60)} at its root, and this model takes only 'object' there.`,
    )
  }
  if (combined !== undefined) {
    throw cannotSend(
      param,
      `Unsupported value: '${param}' has '${combined}' at its root, which this model does not take. Write its properties there, or move it into one of them.`,
    )
  }
  return type === undefined ? { type: 'object', ...parameters } : parameters
}

/** Whether a schema's root is a plain object: what `inputSchema` takes. */
export function isInputSchema(schema: JsonObject): boolean {
  return (schema.type === undefined || schema.type === 'object') && combinedBy(schema) === undefined
}

function combinedBy(schema: JsonObject): string | undefined {
  return ['oneOf', 'anyOf', 'allOf', '$ref'].find(key => schema[key] !== undefined)
}

/** Whether a choice asks for a call of some tool. */
export function forcesTool(choice: ToolChoice | undefined): boolean {
  if (typeof choice !== 'object') return choice === 'required'
  return choice.type !== 'allowed_tools' || choice.allowed_tools.mode === 'required'
}

/** Returns a tool that is a function. Throws `GatewayError` (400) for a custom tool. */
export function functionTool(tool: Tool, path: string): FunctionTool {
  if (tool.type === 'function') return tool
  throw cannotSend(
    `${path}.type`,
    `Unsupported value: '${path}.type' is 'custom', and this model takes only functions.`,
  )
}

/**
 * Returns the tools that may be called: those that a `tool_choice` of `allowed_tools` names, else all.
 *
 * Throws `GatewayError` (400) where it names none of them.
 */
export function allowedTools<T>(
  tools: readonly T[],
  choice: ToolChoice | undefined,
  nameOf: (tool: T) => string,
): readonly T[] {
  if (typeof choice !== 'object' || choice.type !== 'allowed_tools') return tools
  const names = new Set(choice.allowed_tools.tools.map(allowedName))
  const left = tools.filter(tool => names.has(nameOf(tool)))
  if (left.length > 0) return left
  throw cannotSend(
    'tool_choice',
    "Unsupported value: 'tool_choice' allows no function that is among the 'tools'.",
  )
}

function allowedName({ function: definition, name }: JsonObject): unknown {
  return typeof definition === 'object' && definition !== null ? (definition as JsonObject).name : name
}
