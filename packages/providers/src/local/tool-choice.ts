import type { ChatRequest, FunctionDefinition, JsonObject, Tool } from '@sluice/core'
import { wordsIn } from './hints.ts'
import type { Prompt } from './prompt.ts'
import { Refused } from './refused.ts'

/** A tool or deprecated function that a request declares, as the local provider sees it. */
export interface Callable {
  readonly form: 'function' | 'custom' | 'deprecated'
  readonly name: string
  readonly description: string
  /** The JSON Schema of a function's arguments. */
  readonly parameters?: JsonObject
  /** The format of a custom tool's input. */
  readonly format?: JsonObject
  /** Where it stands in the request: `tools[0].function`. */
  readonly param: string
}

/**
 * The tools that are called in answer to a request, in the order of their declaration; none where the answer
 * is a text.
 *
 * With `tool_choice: 'auto'`, tools are called when the user spoke last: the only tool there is, or the one
 * whose name and description share most words with the user's text, or, unless `parallel_tool_calls` is
 * false, each one whose name has a word in that text (at most eight). `required` calls the best one in any case.
 * Throws `Refused` (400) for a choice that names no declared tool.
 */
export function chooseTools(request: ChatRequest, prompt: Prompt): Callable[] {
  const declared = [...(request.tools ?? []).map(fromTool), ...(request.functions ?? []).map(fromFunction)]
  const choice = request.tool_choice ?? request.function_call ?? 'auto'
  if (choice === 'none') return []
  if (choice === 'auto') return answering(declared, request, prompt)
  if (choice === 'required') return required(declared, request, prompt)
  if ('name' in choice) return [named(declared, choice.name)]
  if (choice.type === 'allowed_tools') {
    const names = choice.allowed_tools.tools.map(nameIn)
    const allowed = declared.filter(tool => names.includes(tool.name))
    return choice.allowed_tools.mode === 'required'
      ? required(allowed, request, prompt)
      : answering(allowed, request, prompt)
  }
  return [named(declared, choice.type === 'function' ? choice.function.name : choice.custom.name)]
}

function answering(tools: readonly Callable[], request: ChatRequest, prompt: Prompt): Callable[] {
  if (request.messages.at(-1)?.role !== 'user') return []
  if (tools.length === 1) return [...tools]
  return matching(tools, request, prompt)
}

function required(tools: readonly Callable[], request: ChatRequest, prompt: Prompt): Callable[] {
  const [first] = tools
  if (first === undefined) {
    throw new Refused({
      status: 400,
      message: "Invalid value for 'tool_choice': a tool is required, but none is declared.",
      param: 'tool_choice',
    })
  }
  const matched = matching(tools, request, prompt)
  return matched.length > 0 ? matched : [first]
}

function named(tools: readonly Callable[], name: string): Callable {
  const found = tools.find(tool => tool.name === name)
  if (found) return found
  throw new Refused({
    status: 400,
    message: `Invalid value for 'tool_choice': no tool named '${name.slice(0, 64)}' is declared.`,
    param: 'tool_choice',
  })
}

function matching(tools: readonly Callable[], request: ChatRequest, prompt: Prompt): Callable[] {
  const spoken = stems(prompt.text.slice(0, 5_000))
  const scored = tools.map(tool => {
    const byName = shared(stems(wordsIn(tool.name)), spoken)
    return { tool, byName, score: 3 * byName + shared(stems(tool.description.slice(0, 1_000)), spoken) }
  })
  const best = scored.reduce<(typeof scored)[number] | undefined>(
    (a, b) => (b.score > (a?.score ?? 0) ? b : a),
    undefined,
  )
  if (best === undefined) return []
  const clear = scored
    .filter(({ byName }) => byName > 0)
    .slice(0, 8)
    .map(({ tool }) => tool)
  return clear.length > 1 && request.parallel_tool_calls !== false && best.tool.form !== 'deprecated'
    ? clear
    : [best.tool]
}

const common = new Set(
  'get set the and for with this that from what which please your you are was has have can will use used tool function call give make given return returns value values its into'.split(
    ' ',
  ),
)

/** The words of a text that say something, without the endings that plurals and verbs add. */
function stems(text: string): Set<string> {
  const found = new Set<string>()
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]{3,40}/gu) ?? []) {
    if (!common.has(word)) found.add(word.replace(/(?:ing|ed|es|s|e)$/, ''))
  }
  return found
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let count = 0
  for (const word of a) if (b.has(word)) count++
  return count
}

function fromTool(tool: Tool, at: number): Callable {
  if (tool.type === 'custom') {
    const { name, description = '', format } = tool.custom
    return { form: 'custom', name, description, param: `tools[${at}].custom`, ...(format ? { format } : {}) }
  }
  return fromDefinition(tool.function, 'function', `tools[${at}].function`)
}

function fromFunction(definition: FunctionDefinition, at: number): Callable {
  return fromDefinition(definition, 'deprecated', `functions[${at}]`)
}

function fromDefinition(
  definition: FunctionDefinition,
  form: 'function' | 'deprecated',
  param: string,
): Callable {
  const { name, description = '', parameters } = definition
  return { form, name, description, param, ...(parameters ? { parameters } : {}) }
}

function nameIn(entry: JsonObject): unknown {
  const inner = entry.function ?? entry.custom
  return typeof inner === 'object' && inner !== null && 'name' in inner ? inner.name : entry.name
}
