import type { ChatRequest, JsonObject, Tool, ToolChoice } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'

/** Returns the fields of a request that are about tools, in the words of the Responses API. */
export function toolFields(
  { tools, tool_choice, parallel_tool_calls, web_search_options }: ChatRequest,
  adjuster: ParameterAdjuster,
): Readonly<Record<string, unknown>> {
  const flat = (tools ?? []).map((tool, index) => flatTool(tool, `tools[${index}]`, adjuster))
  if (web_search_options !== undefined) {
    adjuster.map('web_search_options', 'a tool with which the model searches the web')
    flat.push(searchTool(web_search_options))
  }
  return {
    tools: flat.length === 0 ? undefined : flat,
    tool_choice: tool_choice === undefined ? undefined : flatChoice(tool_choice),
    parallel_tool_calls,
  }
}

const functionMembers: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'strict'])
const customMembers: ReadonlySet<string> = new Set(['name', 'description', 'format'])

/** In the Responses API functions are strict by default, in chat completions they are not. */
function flatTool(tool: Tool, path: string, adjuster: ParameterAdjuster): JsonObject {
  reportOthers(tool, new Set(['type', tool.type]), path, adjuster)
  if (tool.type === 'custom') {
    const { name, description, format } = tool.custom
    reportOthers(tool.custom, customMembers, `${path}.custom`, adjuster)
    return {
      type: 'custom',
      name,
      ...(description !== undefined && { description }),
      ...(format !== undefined && { format: flatFormat(format) }),
    }
  }
  const { name, description, parameters, strict } = tool.function
  reportOthers(tool.function, functionMembers, `${path}.function`, adjuster)
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? null,
    strict: strict ?? false,
  }
}

function reportOthers(
  holder: object,
  known: ReadonlySet<string>,
  path: string,
  adjuster: ParameterAdjuster,
): void {
  for (const name of Object.keys(holder))
    if (!known.has(name)) adjuster.drop(`${path}.${name}`, 'not known to this vendor')
}

/** Chat completions have a grammar in an object of its own. */
function flatFormat({ grammar, ...format }: JsonObject): JsonObject {
  return isFields(grammar) ? { ...format, ...(grammar as JsonObject) } : format
}

function searchTool(options: NonNullable<ChatRequest['web_search_options']>): JsonObject {
  const { search_context_size: size, user_location: location } = options as JsonObject
  const approximate = isFields(location) ? location.approximate : undefined
  return {
    type: 'web_search',
    ...(typeof size === 'string' && { search_context_size: size }),
    ...(isFields(approximate) && { user_location: { type: 'approximate', ...(approximate as JsonObject) } }),
  }
}

function flatChoice(choice: ToolChoice): unknown {
  if (typeof choice === 'string') return choice
  if (choice.type !== 'allowed_tools') return flatName(choice as unknown as JsonObject)
  const { mode, tools } = choice.allowed_tools
  // The API takes no empty list, and refuses one that requires a call.
  if (mode === 'auto' && tools.length === 0) return 'none'
  return { type: 'allowed_tools', mode, tools: tools.map(flatName) }
}

/** `{ type: 'function', function: { name } }` as `{ type: 'function', name }`. */
function flatName(choice: JsonObject): JsonObject {
  const { type } = choice
  const named = typeof type === 'string' ? choice[type] : undefined
  return isFields(named) ? { type: type!, ...(named as JsonObject) } : choice
}
