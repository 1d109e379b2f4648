import { searchLocation } from '../../conversation/search-location.ts'
import type { ServerTools } from '../../conversation/server-tools.ts'
import type { ConversationLoss } from '../../conversation/turns-to-chat.ts'
import type { FunctionTool, JsonObject, JsonValue, ToolChoice } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { clientFunction } from './client-tools.ts'
import { losses as kinds } from './losses.ts'
import { isWebSearch } from './outline.ts'
import { functionNameOf } from './tool-names.ts'

/** The tools of a request in the names of chat completions. */
interface ToolSettings {
  readonly tools?: readonly FunctionTool[]
  readonly tool_choice?: ToolChoice
  readonly parallel_tool_calls?: false
  readonly web_search_options?: JsonObject
}

/** Tools, and what other protocols cannot express of them. */
interface ReadTools {
  readonly settings: ToolSettings
  readonly losses: readonly ConversationLoss[]
  /** The index of each tool in the caller's list. */
  readonly indices: readonly number[]
  /** The path of the tool that `web_search_options` stand for. */
  readonly searchPath: string | undefined
  readonly serverTools: ServerTools
}

/**
 * Returns the tools of a body as functions. A tool that the vendor of the protocol runs itself is left out, and is an error where
 * the request needs it. It never throws.
 */
export function readTools(body: JsonObject): ReadTools {
  const given = jsonItems(jsonMember(body, 'tools'))
  const choice = jsonMember(body, 'tool_choice')
  const chosen = jsonMember(choice, 'type') === 'tool' ? jsonMember(choice, 'name') : undefined
  const tools: FunctionTool[] = []
  const indices: number[] = []
  const losses: ConversationLoss[] = []
  const others: number[] = []
  for (const [index, tool] of given.entries()) {
    const found = functionOf(tool)
    if (found === undefined) {
      others.push(index)
      continue
    }
    tools.push(found)
    indices.push(index)
    if (found.function.name !== jsonMember(tool, 'name')) {
      losses.push({ path: `tools[${index}].name`, ...kinds.longName })
    }
    if (typeOf(tool) !== undefined) losses.push({ path: `tools[${index}]`, ...kinds.clientTool })
  }
  let search: { readonly path: string; readonly tool: JsonValue } | undefined
  let areNeeded = false
  for (const index of others) {
    const tool = given[index]!
    const path = `tools[${index}]`
    const isNeeded = tools.length === 0 || (chosen !== undefined && jsonMember(tool, 'name') === chosen)
    areNeeded ||= isNeeded
    if (isNeeded && isWebSearch(tool)) {
      if (search === undefined) losses.push(...searchLosses(tool, path))
      search ??= { path, tool }
    } else losses.push({ path, ...(isNeeded ? kinds.neededHostedTool : kinds.hostedTool) })
  }
  const toolChoice = tools.length === 0 ? undefined : choiceOf(choice, tools)
  return {
    settings: {
      ...(tools.length > 0 && { tools }),
      ...(toolChoice !== undefined && { tool_choice: toolChoice }),
      ...(tools.length > 0 &&
        jsonMember(choice, 'disable_parallel_tool_use') === true && { parallel_tool_calls: false as const }),
      ...(search !== undefined && {
        web_search_options: searchLocation(jsonMember(search.tool, 'user_location')),
      }),
    },
    losses,
    indices,
    searchPath: search?.path,
    serverTools: { paths: others.map(index => `tools[${index}]`), areNeeded },
  }
}

/** Returns the path of the first tool that the vendor of the protocol runs; `undefined` if there is none. */
export function findServerTool(body: JsonObject): string | undefined {
  const index = jsonItems(jsonMember(body, 'tools')).findIndex(isServerTool)
  return index < 0 ? undefined : `tools[${index}]`
}

function isServerTool(tool: JsonValue): boolean {
  return typeOf(tool) !== undefined && functionOf(tool) === undefined
}

/** Limits of a search that chat completions cannot express. */
function searchLosses(tool: JsonValue, path: string): ConversationLoss[] {
  const losses: ConversationLoss[] = []
  for (const name of ['allowed_domains', 'blocked_domains']) {
    if (jsonItems(jsonMember(tool, name)).length > 0)
      losses.push({ path: `${path}.${name}`, ...kinds.searchLimit })
  }
  const count = jsonMember(tool, 'max_uses') ?? undefined
  if (count !== undefined) losses.push({ path: `${path}.max_uses`, ...kinds.searchCount })
  return losses
}

/** Returns the type of a tool that is no function. */
function typeOf(tool: JsonValue): string | undefined {
  const type = jsonMember(tool, 'type')
  return typeof type === 'string' && type !== 'custom' ? type : undefined
}

function functionOf(tool: JsonValue): FunctionTool | undefined {
  const own = jsonMember(tool, 'name')
  if (typeof own !== 'string') return undefined
  const name = functionNameOf(own)
  const type = typeOf(tool)
  if (type !== undefined) {
    const known = clientFunction(type, name, tool as JsonObject)
    return known && { type: 'function', function: known }
  }
  const description = jsonMember(tool, 'description')
  const schema = jsonMember(tool, 'input_schema')
  const mark = jsonMember(tool, 'cache_control')
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' && { description }),
      ...(isObject(schema) && { parameters: schema }),
      ...(jsonMember(tool, 'strict') === true && { strict: true }),
    },
    ...(isObject(mark) && { cache_control: mark }),
  }
}

function choiceOf(choice: JsonValue | undefined, tools: readonly FunctionTool[]): ToolChoice | undefined {
  switch (jsonMember(choice, 'type')) {
    case 'auto':
      return 'auto'
    case 'any':
      return 'required'
    case 'none':
      return 'none'
    case 'tool': {
      const own = jsonMember(choice, 'name')
      if (typeof own !== 'string') return undefined
      const name = functionNameOf(own)
      const isFunction = tools.some(tool => tool.function.name === name)
      return isFunction ? { type: 'function', function: { name } } : undefined
    }
    default:
      return undefined
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
