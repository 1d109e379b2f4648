import type { ChatRequest, ToolChoice } from '@sluice/core'
import { type Adjusting, cannotSend } from '../parameters/adjusting.ts'
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
  adjusting: Adjusting,
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
        : "Leave out 'reasoning_effort' to force a tool: this model does not think then."
    adjusting.lack('tool_choice', mend)
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
