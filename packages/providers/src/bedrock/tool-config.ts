import type { ChatRequest, JsonObject } from '@sluice/core/provider'
import { type ApiToolChoice, allowedTools, apiToolChoice } from '../claude/tools.ts'
import { calledNames, type MergedTurn } from '../conversation/conversation.ts'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { CachePoint } from './cache-point.ts'
import type { BedrockModel } from './models.ts'
import { type CallerTool, callerTools, type ToolBlock } from './tools.ts'

/** The request's `toolConfig`. */
export interface ToolConfig {
  readonly tools: readonly (ToolBlock | CachePoint)[]
  /** Absent: the model chooses. */
  readonly toolChoice?: { readonly any: JsonObject } | { readonly tool: { readonly name: string } }
}

/** What a request carries about tools. Each is absent where it is not needed. */
export interface ToolFields {
  readonly toolConfig?: ToolConfig
  /** Claude's own `tool_choice`, in place of `toolConfig.toolChoice`: both together are refused. */
  readonly claudeChoice?: ApiToolChoice
}

/** What decides how tools are written. */
export interface ToolsInput {
  readonly input: ChatRequest
  readonly turns: readonly MergedTurn[]
  readonly model: BedrockModel
  /** The tool by which the answer is given, where there is one: then one of all tools has to be called. */
  readonly answer: AnswerFormat['tool']
  /** Claude thinks in this request. */
  readonly thinking: boolean
}

/**
 * The caller's tools and choice. Bedrock has no choice `none`, and takes no conversation with calls in it without
 * tools: then those that may not be called stay, and where the caller gives none, those that were called stand
 * in for them.
 *
 * Throws `GatewayError` (400) for what the model does not take.
 */
export function toolFields(
  { input, turns, model, answer, thinking }: ToolsInput,
  adjuster: ParameterAdjuster,
): ToolFields {
  const own = allowedTools(
    callerTools(input.tools ?? [], model, adjuster),
    input.tool_choice,
    ({ block }) => block.toolSpec.name,
  )
  const forcedTools = model.claude?.forcedTools ?? (model.toolChoice === 'auto' ? 'never' : 'always')
  const chosen = apiToolChoice(input, own.length > 0, thinking, { forcedTools }, adjuster)
  const callable = own.length > 0 && chosen?.type !== 'none'
  if (answer !== undefined) {
    const answering: CallerTool = { block: answer.block, marks: [] }
    if (callable) return fieldsOf([...own, answering], { ...chosen, type: 'any' }, model, adjuster)
    if (model.toolChoice !== 'tool') return fieldsOf([answering], { type: 'any' }, model, adjuster)
    return fieldsOf([...own, answering], { type: 'tool', name: answer.name }, model, adjuster)
  }
  if (callable) return fieldsOf(own, chosen, model, adjuster)
  const called = calledNames(turns)
  if (called.length === 0) return {}
  if (own.length === 0) {
    adjuster.fill('tools', 'those that were called earlier, without their parameters')
    return { toolConfig: { tools: called.map(placeholderTool) } }
  }
  adjuster.map('tool_choice', 'the tools stay, for the conversation holds calls: the model may call them')
  return { toolConfig: { tools: flat(own) } }
}

function fieldsOf(
  tools: readonly CallerTool[],
  chosen: ApiToolChoice | undefined,
  model: BedrockModel,
  adjuster: ParameterAdjuster,
): ToolFields {
  if (chosen?.disable_parallel_tool_use === true) {
    if (model.claude !== undefined) return { toolConfig: { tools: flat(tools) }, claudeChoice: chosen }
    adjuster.drop('parallel_tool_calls', 'this model may call several tools')
  }
  if (chosen?.type === 'any') return { toolConfig: { tools: flat(tools), toolChoice: { any: {} } } }
  const { name } = chosen ?? {}
  if (name === undefined) return { toolConfig: { tools: flat(tools) } }
  if (model.toolChoice === 'tool')
    return { toolConfig: { tools: flat(tools), toolChoice: { tool: { name } } } }
  const only = tools.filter(({ block }) => block.toolSpec.name === name)
  if (only.length === 0) {
    throw cannotSend(
      'tool_choice',
      "Unsupported value: 'tool_choice' asks for a tool that is not among the 'tools'.",
    )
  }
  adjuster.map('tool_choice', 'only the named tool is given, and some tool has to be called')
  return { toolConfig: { tools: flat(only), toolChoice: { any: {} } } }
}

function flat(tools: readonly CallerTool[]): (ToolBlock | CachePoint)[] {
  return tools.flatMap(({ block, marks }) => [block, ...marks])
}

function placeholderTool(name: string): ToolBlock {
  return { toolSpec: { name, inputSchema: { json: { type: 'object', properties: {} } } } }
}
