import type { ChatRequest } from '@sluice/core'
import type { Adjusting } from '../parameters/adjusting.ts'
import type { ClaudeModel } from './models.ts'
import { type ApiToolChoice, apiToolChoice } from './tool-choice.ts'
import { type ApiTool, allowedTools, apiTools } from './tools.ts'

/** The part of a request that is about tools. */
export interface ToolFields {
  readonly tools?: readonly ApiTool[]
  readonly tool_choice?: ApiToolChoice
}

/**
 * The caller's tools and choice, and the tool by which the answer is given where there is one: then one of them
 * has to be called.
 *
 * Throws `GatewayError` (400) for what the vendor does not take.
 */
export function toolFields(
  input: ChatRequest,
  answer: ApiTool | undefined,
  thinking: boolean,
  model: ClaudeModel,
  adjusting: Adjusting,
): ToolFields {
  const { tool_choice: choice } = input
  const own = allowedTools(apiTools(input.tools ?? [], model, adjusting), choice)
  if (answer !== undefined) {
    const only = own.length === 0 || choice === 'none'
    return { tools: [...own, answer], tool_choice: only ? onlyAnswer(answer) : anyOfThem(input) }
  }
  const chosen = apiToolChoice(input, own.length > 0, thinking, model, adjusting)
  return {
    ...(own.length === 0 ? {} : { tools: own }),
    ...(chosen === undefined ? {} : { tool_choice: chosen }),
  }
}

function onlyAnswer({ name }: ApiTool): ApiToolChoice {
  return { type: 'tool', name, disable_parallel_tool_use: true }
}

function anyOfThem({ parallel_tool_calls: parallel }: ChatRequest): ApiToolChoice {
  return parallel === false ? { type: 'any', disable_parallel_tool_use: true } : { type: 'any' }
}
