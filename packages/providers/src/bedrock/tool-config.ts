import type { ChatRequest, JsonObject } from '@sluice/core'
import { forcible } from '../anthropic/tool-choice.ts'
import type { Turn } from '../conversation/conversation.ts'
import { type Adjusting, cannotSend } from '../parameters/adjusting.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { CachePoint } from './cache-point.ts'
import type { BedrockModel } from './models.ts'
import { type CallerTool, callerTools, type ToolBlock } from './tools.ts'

/** The request's `toolConfig`. */
export interface ToolConfig {
  readonly tools: readonly (ToolBlock | CachePoint)[]
  readonly toolChoice?: ToolChoice
}

type ToolChoice =
  | { readonly auto: JsonObject }
  | { readonly any: JsonObject }
  | { readonly tool: { readonly name: string } }

/** What a request carries about tools. Each is absent where it is not needed. */
export interface ToolFields {
  readonly toolConfig?: ToolConfig
  /** Claude's own `tool_choice`, in place of `toolConfig.toolChoice`: both together are refused. */
  readonly claudeChoice?: JsonObject
}

/** What decides how tools are written. */
export interface ToolsAsked {
  readonly input: ChatRequest
  readonly turns: readonly Turn[]
  readonly model: BedrockModel
  /** The tool by which the answer is given, where there is one: then one of all tools has to be called. */
  readonly answer: AnswerFormat['tool']
  /** Claude thinks in this request. */
  readonly thinking: boolean
}

const auto: ToolChoice = { auto: {} }
const any: ToolChoice = { any: {} }

/**
 * The caller's tools and choice. Bedrock has no choice `none`, and takes no conversation with calls in it without
 * tools: then those that may not be called stay, and where the caller gives none, those that were called stand
 * in for them.
 *
 * Throws `GatewayError` (400) for what the model does not take.
 */
export function toolFields(asked: ToolsAsked, adjusting: Adjusting): ToolFields {
  const { input, turns, model, answer } = asked
  const { tool_choice: choice } = input
  const own = allowed(callerTools(input.tools ?? [], model, adjusting), choice)
  if (answer !== undefined) return withAnswer(own, asked, answer, adjusting)
  const called = calledNames(turns)
  if (own.length === 0) {
    if (choice !== undefined && choice !== 'auto' && choice !== 'none') throw noTools()
    if (called.length === 0) return {}
    adjusting.fill('tools', 'those that were called earlier, without their parameters')
    return { toolConfig: { tools: called.map(standIn) } }
  }
  if (choice === 'none') {
    if (called.length === 0) return {}
    adjusting.map('tool_choice', 'the tools stay, for the conversation holds calls: the model may call them')
    return { toolConfig: { tools: flat(own) } }
  }
  return withChoice(own, asked, adjusting)
}

function withChoice(own: readonly CallerTool[], asked: ToolsAsked, adjusting: Adjusting): ToolFields {
  const { input, model } = asked
  let tools = own
  let chosen = choiceOf(input.tool_choice)
  if (chosen !== undefined && chosen !== auto && !canForce(asked)) {
    adjusting.lack(
      'tool_choice',
      model.claude === undefined || model.toolChoice === 'auto'
        ? "It takes 'auto' and 'none'."
        : "Leave out 'reasoning_effort' to force a tool: this model does not think then.",
    )
    chosen = undefined
  }
  if (chosen !== undefined && 'tool' in chosen && model.toolChoice === 'any') {
    const { name } = chosen.tool
    tools = own.filter(({ block }) => block.toolSpec.name === name)
    if (tools.length === 0) throw noTools()
    adjusting.map('tool_choice', 'only the named tool is given, and some tool has to be called')
    chosen = any
  }
  const alone = oneAtATime(asked, chosen ?? auto, adjusting)
  if (alone !== undefined) return { toolConfig: { tools: flat(tools) }, claudeChoice: alone }
  // A model that takes no choice is not told the one that it makes by itself.
  if (chosen === undefined || (chosen === auto && model.toolChoice === 'auto' && model.claude === undefined))
    return { toolConfig: { tools: flat(tools) } }
  return { toolConfig: { tools: flat(tools), toolChoice: chosen } }
}

function withAnswer(
  own: readonly CallerTool[],
  asked: ToolsAsked,
  { name, block }: NonNullable<AnswerFormat['tool']>,
  adjusting: Adjusting,
): ToolFields {
  if (own.length > 0 && asked.input.tool_choice !== 'none') {
    const tools = [...flat(own), block]
    const alone = oneAtATime(asked, any, adjusting)
    return alone === undefined
      ? { toolConfig: { tools, toolChoice: any } }
      : { toolConfig: { tools }, claudeChoice: alone }
  }
  if (asked.model.toolChoice !== 'tool') return { toolConfig: { tools: [block], toolChoice: any } }
  return { toolConfig: { tools: [...flat(own), block], toolChoice: { tool: { name } } } }
}

/** A choice of one call at a time, where that was asked for and the model is a Claude; else it is told of. */
function oneAtATime(
  { input, model }: ToolsAsked,
  choice: ToolChoice,
  adjusting: Adjusting,
): JsonObject | undefined {
  if (input.parallel_tool_calls !== false) return undefined
  if (model.claude !== undefined) return { ...claudeChoice(choice), disable_parallel_tool_use: true }
  adjusting.drop('parallel_tool_calls', 'this model may call several tools')
  return undefined
}

function canForce({ model, thinking }: ToolsAsked): boolean {
  if (model.toolChoice === 'auto') return false
  return model.claude === undefined || forcible(model.claude, thinking)
}

function choiceOf(choice: ChatRequest['tool_choice']): ToolChoice | undefined {
  if (choice === undefined || choice === 'none') return undefined
  if (choice === 'auto') return auto
  if (choice === 'required') return any
  switch (choice.type) {
    case 'function':
      return { tool: { name: choice.function.name } }
    case 'allowed_tools':
      return choice.allowed_tools.mode === 'required' ? any : auto
    case 'custom':
      throw cannotSend(
        'tool_choice',
        "Unsupported value: 'tool_choice' names a custom tool, and this model takes only functions.",
      )
  }
}

function claudeChoice(choice: ToolChoice): JsonObject {
  if ('tool' in choice) return { type: 'tool', name: choice.tool.name }
  return { type: 'any' in choice ? 'any' : 'auto' }
}

/** The tools that a choice of `allowed_tools` names, or all. */
function allowed(tools: readonly CallerTool[], choice: ChatRequest['tool_choice']): readonly CallerTool[] {
  if (typeof choice !== 'object' || choice.type !== 'allowed_tools') return tools
  const names = new Set(choice.allowed_tools.tools.map(nameOf))
  const left = tools.filter(({ block }) => names.has(block.toolSpec.name))
  if (left.length > 0) return left
  throw cannotSend(
    'tool_choice',
    "Unsupported value: 'tool_choice' allows no function that is among the 'tools'.",
  )
}

function nameOf({ function: definition, name }: JsonObject): unknown {
  return typeof definition === 'object' && definition !== null ? (definition as JsonObject).name : name
}

function noTools() {
  return cannotSend(
    'tool_choice',
    "Unsupported value: 'tool_choice' asks for a tool that is not among the 'tools'.",
  )
}

function flat(tools: readonly CallerTool[]): (ToolBlock | CachePoint)[] {
  return tools.flatMap(({ block, marks }) => [block, ...marks])
}

/** The names of the tools that the conversation's calls are of, and its results as well. */
function calledNames(turns: readonly Turn[]): readonly string[] {
  const names = new Set<string>()
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      for (const item of turn.items) if (item.kind === 'call') names.add(item.name)
    } else for (const { name } of turn.results) names.add(name ?? 'tool')
  }
  return [...names]
}

function standIn(name: string): ToolBlock {
  return { toolSpec: { name, inputSchema: { json: { type: 'object', properties: {} } } } }
}
