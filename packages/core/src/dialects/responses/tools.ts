import { digestedName } from '../../conversation/function-name.ts'
import { searchLocation } from '../../conversation/search-location.ts'
import type { ServerTools } from '../../conversation/server-tools.ts'
import type { ConversationLoss } from '../../conversation/turns-to-chat.ts'
import type {
  FunctionDefinition,
  FunctionTool,
  JsonObject,
  JsonValue,
  ToolChoice,
} from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { strictSchemaIssue } from '../../validation/strict-schema.ts'
import { builtInFunction } from './built-in-tools.ts'
import { losses as kinds } from './losses.ts'
import type { NamedTool, ToolNames } from './tool-names.ts'

/** The tools of a request in the names of chat completions. */
interface ToolSettings {
  readonly tools?: readonly FunctionTool[]
  readonly tool_choice?: ToolChoice
  readonly parallel_tool_calls?: false
  readonly web_search_options?: JsonObject
}

/** Tools as functions, and what other protocols cannot express of them. */
export interface ReadTools {
  readonly settings: ToolSettings
  readonly losses: readonly ConversationLoss[]
  /** The tools by the names of their functions. */
  readonly names: ToolNames
  /** The caller's path of each function. */
  readonly paths: readonly string[]
  /** The path of the tool that `web_search_options` stand for. */
  readonly searchPath: string | undefined
  readonly serverTools: ServerTools
  /** Returns the name of the function that a tool of the caller is, also of one that is not among the tools any more. */
  nameOf(tool: NamedTool): string
}

/** A tool that the caller runs. */
interface OwnTool {
  readonly path: string
  readonly tool: NamedTool
  readonly definition: Omit<FunctionDefinition, 'name'>
  readonly loss?: Pick<ConversationLoss, 'kind' | 'why'> | undefined
}

/** A tool that only a vendor can run. */
interface HostedTool {
  readonly path: string
  readonly type: string
  readonly value: JsonValue
}

/** A namespace in a namespace is no tool. */
interface FoundTools {
  readonly own: OwnTool[]
  readonly hosted: HostedTool[]
}

/**
 * Returns the tools of a body as functions: those of its `tools`, and those that items of its input add. A tool that the vendor of
 * the protocol runs itself is left out, and is an error where the request needs it. It never throws.
 */
export function readTools(body: JsonObject): ReadTools {
  const { own, hosted, ofRequest } = findTools(body)
  const names = new FunctionNames(own.map(({ tool }) => tool))
  const offered = withoutRepetitions(own, ofRequest)
  const choice = jsonMember(body, 'tool_choice')
  const { losses, search } = readHosted(hosted, choice, offered.length > 0)
  for (const { path, loss } of offered) if (loss !== undefined) losses.push({ path, ...loss })
  const tools = offered.map(({ tool, definition }) => functionTool(names.nameOf(tool), definition))
  const toolChoice = tools.length === 0 ? undefined : choiceOf(choice, own, names)
  return {
    settings: {
      ...(tools.length > 0 && { tools }),
      ...(toolChoice !== undefined && { tool_choice: toolChoice }),
      ...(tools.length > 0 &&
        jsonMember(body, 'parallel_tool_calls') === false && { parallel_tool_calls: false as const }),
      ...(search !== undefined && { web_search_options: searchOptions(search.value) }),
    },
    losses,
    names: names.tools,
    paths: offered.map(({ path }) => path),
    searchPath: search?.path,
    serverTools: {
      paths: hosted.filter(isBilled).map(({ path }) => path),
      areNeeded: hosted.some(
        tool => isBilled(tool) && (isNeeded(tool, choice, offered.length > 0) || isAllowed(tool, choice)),
      ),
    },
    nameOf: tool => names.nameOf(tool),
  }
}

/** Returns the path of the first tool that the vendor of the protocol runs; `undefined` if there is none. */
export function findServerTool(body: JsonObject): string | undefined {
  return findTools(body).hosted.find(isBilled)?.path
}

/** The search in the tools of a request is free. */
function isBilled({ type }: HostedTool): boolean {
  return type !== toolSearch
}

function findTools(body: JsonObject): FoundTools & { readonly ofRequest: number } {
  const found: FoundTools = { own: [], hosted: [] }
  addTools(found, jsonMember(body, 'tools'), 'tools')
  const ofRequest = found.own.length
  for (const [index, item] of jsonItems(jsonMember(body, 'input')).entries()) {
    if (addsTools(item)) addTools(found, jsonMember(item, 'tools'), `input[${index}].tools`)
  }
  return { ...found, ofRequest }
}

/** Whether an item of the input adds tools to those of its request. */
export function addsTools(item: JsonValue): boolean {
  const type = jsonMember(item, 'type')
  return type === 'additional_tools' || type === 'tool_search_output'
}

const toolSearch = 'tool_search'

function addTools(found: FoundTools, tools: JsonValue | undefined, path: string): void {
  for (const [index, tool] of jsonItems(tools).entries()) addTool(found, tool, `${path}[${index}]`, true)
}

function addTool(
  found: FoundTools,
  tool: JsonValue,
  path: string,
  isOuter: boolean,
  namespace?: { readonly namespace: string },
): void {
  const type = textOf(tool, 'type')
  const name = textOf(tool, 'name')
  switch (type) {
    case 'function': {
      if (name === '') return
      const definition = { ...described(tool), ...parametersOf(tool) }
      found.own.push({ path, tool: { kind: 'function', name, ...namespace }, definition })
      return
    }
    case 'custom':
      if (name !== '') found.own.push(customTool(tool, path, { kind: 'custom', name, ...namespace }))
      return
    case 'namespace':
      if (!isOuter || name === '') return
      for (const [index, inner] of jsonItems(jsonMember(tool, 'tools')).entries())
        addTool(found, inner, `${path}.tools[${index}]`, false, { namespace: name })
      return
    case toolSearch:
      if (jsonMember(tool, 'execution') !== 'client') break
      found.own.push({
        path,
        tool: { kind: toolSearch, name: toolSearch },
        definition: { ...described(tool), ...parametersOf(tool) },
      })
      return
  }
  if (type === '') return
  const known = builtInFunction(type, tool as JsonObject)
  if (known === undefined) found.hosted.push({ path, type, value: tool })
  else
    found.own.push({
      path,
      tool: { kind: known.kind, name: type },
      definition: known.definition,
      loss: kinds.builtInTool,
    })
}

const oneText: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
}

function customTool(value: JsonValue, path: string, tool: NamedTool): OwnTool {
  const format = jsonMember(value, 'format')
  // Chat completions nest it.
  const grammar = jsonMember(format, 'grammar') ?? format
  const text = textOf(grammar, 'definition')
  const description = textOf(value, 'description')
  if (text === '') return { path, tool, definition: { ...described(value), parameters: oneText } }
  const syntax = textOf(grammar, 'syntax')
  const rule = `The input has to match this ${syntax === 'regex' ? 'regular expression' : 'Lark grammar'}:\n${text}`
  return {
    path,
    tool,
    definition: { description: description === '' ? rule : `${description}\n\n${rule}`, parameters: oneText },
    loss: kinds.grammar,
  }
}

function described(tool: JsonValue): Pick<FunctionDefinition, 'description'> {
  const description = textOf(tool, 'description')
  return description === '' ? {} : { description }
}

/** Tools are strict by default where their parameters can be. */
function parametersOf(tool: JsonValue): Pick<FunctionDefinition, 'parameters' | 'strict'> {
  const parameters = jsonMember(tool, 'parameters')
  if (!isObject(parameters)) return {}
  const strict = jsonMember(tool, 'strict') ?? strictSchemaIssue(parameters) === undefined
  return { parameters, ...(strict === true && { strict: true }) }
}

function functionTool(name: string, definition: Omit<FunctionDefinition, 'name'>): FunctionTool {
  return { type: 'function', function: { name, ...definition } }
}

/** Leaves out the tools of items that are among those before: conversations find some tools again and again. */
function withoutRepetitions(own: readonly OwnTool[], ofRequest: number): readonly OwnTool[] {
  const keys = new Set<string>()
  return own.filter(({ tool }, at) => {
    const count = keys.size
    keys.add(keyOf(tool))
    return at < ofRequest || keys.size > count
  })
}

/** A hosted tool is needed if it is chosen, or if there is no other. */
function isNeeded(tool: HostedTool, choice: JsonValue | undefined, hasOthers: boolean): boolean {
  return tool.type === jsonMember(choice, 'type') || (!hasOthers && isBilled(tool))
}

/** Whether a choice lists a tool among those that may be called. */
function isAllowed({ type }: HostedTool, choice: JsonValue | undefined): boolean {
  return jsonItems(jsonMember(choice, 'tools')).some(each => jsonMember(each, 'type') === type)
}

function readHosted(
  hosted: readonly HostedTool[],
  choice: JsonValue | undefined,
  hasOthers: boolean,
): { readonly losses: ConversationLoss[]; readonly search: HostedTool | undefined } {
  const losses: ConversationLoss[] = []
  let search: HostedTool | undefined
  for (const tool of hosted) {
    if (!isNeeded(tool, choice, hasOthers)) losses.push({ path: tool.path, ...kinds.hostedTool })
    else if (isWebSearch(tool.type)) {
      if (search === undefined) losses.push(...searchLosses(tool))
      search ??= tool
    } else losses.push({ path: `${tool.path}.type`, ...kinds.neededHostedTool })
  }
  return { losses, search }
}

/** Whether a type of tools is the vendor's search of the web. */
export function isWebSearch(type: string): boolean {
  return type.startsWith('web_search')
}

/** Limits of a search that chat completions cannot express. */
function searchLosses({ path, value }: HostedTool): ConversationLoss[] {
  const filters = jsonMember(value, 'filters')
  const isFiltered =
    isObject(filters) && Object.values(filters).some(each => (each ?? undefined) !== undefined)
  return [
    ...(isFiltered ? [{ path: `${path}.filters`, ...kinds.searchLimit }] : []),
    ...(jsonMember(value, 'external_web_access') === false
      ? [{ path: `${path}.external_web_access`, ...kinds.searchLimit }]
      : []),
  ]
}

function searchOptions(tool: JsonValue): JsonObject {
  const size = jsonMember(tool, 'search_context_size')
  return {
    ...((size === 'low' || size === 'medium' || size === 'high') && { search_context_size: size }),
    ...searchLocation(jsonMember(tool, 'user_location')),
  }
}

function choiceOf(
  choice: JsonValue | undefined,
  own: readonly OwnTool[],
  names: FunctionNames,
): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (jsonMember(choice, 'type') === 'allowed_tools') {
    const allowed = jsonItems(jsonMember(choice, 'tools')).flatMap(each => chosenTools(each, own))
    const mode = jsonMember(choice, 'mode') === 'required' ? 'required' : 'auto'
    if (allowed.length === 0) return 'none'
    const tools = allowed.map(tool => ({ type: 'function', function: { name: names.nameOf(tool) } }))
    return { type: 'allowed_tools', allowed_tools: { mode, tools } }
  }
  const [tool, ...others] = chosenTools(choice, own)
  if (tool === undefined || others.length > 0) return undefined
  return { type: 'function', function: { name: names.nameOf(tool) } }
}

/** Returns the tools that a choice names: all of a namespace, or one. */
function chosenTools(choice: JsonValue | undefined, own: readonly OwnTool[]): readonly NamedTool[] {
  const type = textOf(choice, 'type')
  const name = textOf(choice, 'name')
  const namespace = textOf(choice, 'namespace') || undefined
  const isChosen = ({ tool }: OwnTool): boolean => {
    if (type === 'namespace') return tool.namespace === name
    if (tool.kind !== type) return false
    const isNamed = type === 'function' || type === 'custom'
    return !isNamed || (tool.name === name && tool.namespace === namespace)
  }
  return own.filter(isChosen).map(({ tool }) => tool)
}

/** What vendors take as the name of a function. */
const validName = /^[a-zA-Z0-9_-]{1,64}$/

/** Gives each tool the name of a function: its own if that can be one, and one with its namespace and a digest otherwise. */
class FunctionNames {
  readonly tools = new Map<string, NamedTool>()
  readonly #names = new Map<string, string>()

  constructor(tools: readonly NamedTool[]) {
    // Plain names first: they stay what they are.
    for (const tool of tools) if (isPlain(tool)) this.#add(tool, tool.name)
    for (const tool of tools) {
      if (this.#names.has(keyOf(tool))) continue
      const name = joinedName(tool)
      this.#add(tool, this.tools.has(name) ? withDigest(name, tool) : name)
    }
  }

  nameOf(tool: NamedTool): string {
    return this.#names.get(keyOf(tool)) ?? joinedName(tool)
  }

  #add(tool: NamedTool, name: string): void {
    this.tools.set(name, tool)
    this.#names.set(keyOf(tool), name)
  }
}

function isPlain({ kind, name, namespace }: NamedTool): boolean {
  return kind === 'function' && namespace === undefined && validName.test(name)
}

function joinedName(tool: NamedTool): string {
  const { name, namespace } = tool
  const joined = namespace === undefined ? name : `${namespace}__${name}`
  return validName.test(joined) ? joined : withDigest(joined, tool)
}

function withDigest(name: string, tool: NamedTool): string {
  return digestedName(name, keyOf(tool))
}

function keyOf({ kind, name, namespace }: NamedTool): string {
  return JSON.stringify([kind, name, namespace])
}

function textOf(value: JsonValue | undefined, name: string): string {
  const member = jsonMember(value, name)
  return typeof member === 'string' ? member : ''
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
