import type { ChatRequest } from '@sluice/core/provider'
import type { ClaudeModel } from '../claude/models.ts'
import { type ApiToolChoice, allowedTools, apiToolChoice } from '../claude/tools.ts'
import { calledNames, type MergedTurn } from '../conversation/conversation.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { type ApiTool, apiTools } from './tools.ts'

/** The part of a request that is about tools. */
export interface ToolFields {
  readonly tools?: readonly ApiTool[]
  readonly tool_choice?: ApiToolChoice
}

/** What decides how tools are written. */
export interface ToolsInput {
  readonly input: ChatRequest
  readonly turns: readonly MergedTurn[]
  readonly model: ClaudeModel
  /** The tool by which the answer is given, where there is one: then one of all tools has to be called. */
  readonly answer: ApiTool | undefined
  /** The model thinks in this request. */
  readonly thinking: boolean
}

/**
 * The caller's tools and choice. The vendor takes no conversation with calls in it without tools: where the caller
 * gives none, those that were called stand in for them, and may not be called.
 *
 * Throws `GatewayError` (400) for what the vendor does not take.
 */
export function toolFields(
  { input, turns, model, answer, thinking }: ToolsInput,
  adjuster: ParameterAdjuster,
): ToolFields {
  const { tool_choice: choice } = input
  const own = allowedTools(apiTools(input.tools ?? [], model, adjuster), choice, ({ name }) => name)
  if (answer !== undefined) {
    const only = own.length === 0 || choice === 'none'
    return { tools: [...own, answer], tool_choice: only ? onlyAnswer(answer) : anyOfThem(input) }
  }
  const chosen = apiToolChoice(input, own.length > 0, thinking, model, adjuster)
  const called = own.length === 0 ? calledNames(turns) : []
  if (called.length > 0) {
    adjuster.fill('tools', 'those that were called earlier, without their parameters')
    return { tools: called.map(placeholderTool), tool_choice: { type: 'none' } }
  }
  return {
    ...(own.length === 0 ? {} : { tools: own }),
    ...(chosen === undefined ? {} : { tool_choice: chosen }),
  }
}

function placeholderTool(name: string): ApiTool {
  return { name, input_schema: { type: 'object', properties: {} } }
}

function onlyAnswer({ name }: ApiTool): ApiToolChoice {
  return { type: 'tool', name, disable_parallel_tool_use: true }
}

function anyOfThem({ parallel_tool_calls: parallel }: ChatRequest): ApiToolChoice {
  return parallel === false ? { type: 'any', disable_parallel_tool_use: true } : { type: 'any' }
}
