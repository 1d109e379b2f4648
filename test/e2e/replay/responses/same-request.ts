import type { Adjustment } from '@sluice/core'
import type { Compared } from '../translated.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was recorded
type Loose = any

/** What is said to a model, where, and by whom. */
interface Said {
  readonly path: string
  readonly what: object
}

/** Compares a request in the Responses API with what it became in chat completions, read as a request of the Responses API again. */
export function compareRequests(before: Loose, after: Loose, adjustments: readonly Adjustment[]): Compared {
  const known = adjustments.map(
    ({ parameter, action, detail }) => `${parameter.replaceAll(/\[\d+\]/g, '[]')} ${action}: ${detail}`,
  )
  const left = adjustments.filter(({ detail }) => detail !== 'moved before the tool calls')
  const isAdjusted = ({ path }: Said) =>
    left.some(({ parameter }) => parameter === path || path.startsWith(`${parameter}.`))
  const given = saidIn(before, rewrite => known.push(rewrite))
  const got = readBack(after)
  const unknown: string[] = []
  for (const [at, list] of Object.entries(given)) {
    const wanted = list
      .filter(each => !isAdjusted(each))
      .map(({ path, what }) => [path, jsonOf(what)] as const)
    if (at === 'settings') wanted.sort(([, a], [, b]) => (a < b ? -1 : 1))
    const others = (got[at as keyof typeof got] ?? []).map(jsonOf)
    if (at === 'settings') others.sort()
    for (const [path, what] of wanted) {
      const index = others.indexOf(what)
      // What is said is said in this order.
      if (index === -1) unknown.push(`lost ${path}: ${what.slice(0, 100)}`)
      else
        for (const each of others.splice(0, index + 1).slice(0, -1))
          unknown.push(`added ${each.slice(0, 100)}`)
    }
    for (const each of others) unknown.push(`added ${each.slice(0, 100)}`)
  }
  return { known, unknown: unknown.filter(each => !isMoved(each, adjustments)) }
}

/** Images and files of a result follow it, in a message of the user that says so. */
function isMoved(found: string, adjustments: readonly Adjustment[]): boolean {
  const moves = adjustments.some(({ detail }) => detail === 'sent in a message of the user after the results')
  return moves && /^added .*(?:images and files of|"image":|"file":)/i.test(found)
}

function saidIn(body: Loose, known: (rewrite: string) => void) {
  const { input, instructions } = body
  const messages: Said[] = []
  if (instructions) messages.push({ path: 'instructions', what: { role: 'system', text: instructions } })
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const tools = toolsIn(body.tools ?? [], 'tools', known)
  let turn: Turn | undefined
  const end = () => {
    if (turn !== undefined) messages.push(...turn.texts, ...turn.calls)
    turn = undefined
  }
  for (const [index, item] of (items as Loose[]).entries()) {
    const path = typeof input === 'string' ? 'input' : `input[${index}]`
    const { type = 'message', role, call_id: id } = item
    if (type === 'additional_tools') {
      known('additional_tools: among the tools')
      tools.push(...toolsIn(item.tools, `${path}.tools`, known))
    } else if (type === 'reasoning') {
      if (item.encrypted_content === undefined && item.summary.length > 0)
        known('a summary of reasoning: not for vendors that take none')
    } else if (type === 'message' && role === 'assistant') {
      turn ??= { texts: [], calls: [] }
      // Vendors of chat completions have one message of texts, then calls.
      turn.texts.push(...textsOf(item, path, known))
    } else if (type === 'function_call' || type === 'tool_search_call') {
      if (item.execution === 'server') continue
      turn ??= { texts: [], calls: [] }
      const { name = 'tool_search', arguments: given, namespace } = item
      if (type === 'tool_search_call') known('tool_search_call: a call of the function')
      const called = namespace === undefined ? name : `${namespace}__${name}`
      const text = typeof given === 'string' ? given : JSON.stringify(given)
      turn.calls.push({ path, what: { call: called, id, arguments: text } })
    } else if (type === 'message') {
      end()
      messages.push(...textsOf(item, path, known))
    } else if (type === 'function_call_output') {
      end()
      const { output } = item
      const isText = typeof output === 'string'
      messages.push({ path, what: { result: id, text: isText ? output : plainOutput(output) } })
    } else if (type === 'tool_search_output') {
      if (item.execution === 'server') continue
      end()
      known('tool_search_output: the names of its tools')
      const names = item.tools.map((tool: Loose) => tool.name)
      messages.push({ path, what: { result: id, text: JSON.stringify({ tools: names }) } })
      tools.push(...toolsIn(item.tools, `${path}.tools`, known))
    } else messages.push({ path, what: { item: type } })
  }
  end()
  const names = tools.map(({ what }) => what.name)
  const once = tools.filter(({ what }, at) => names.indexOf(what.name) === at)
  if (once.length < tools.length) known('a tool that was found again: once')
  return { messages, tools: once, settings: settingsIn(body, known) }
}

interface Turn {
  readonly texts: Said[]
  readonly calls: Said[]
}

function textsOf({ role, content }: Loose, path: string, known: (rewrite: string) => void): Said[] {
  const parts = typeof content === 'string' ? [{ text: content }] : content
  return parts.flatMap((part: Loose, at: number) => {
    if (part.text === '') {
      known('an empty text: left out')
      return []
    }
    const index = typeof content === 'string' ? '' : `[${at}]`
    return [{ path: `${path}.content${index}`, what: { role, ...plainPart(part) } }]
  })
}

function plainPart(part: Loose): object {
  const { type, text, image_url: image, file_data: file, filename, detail } = part
  if (type === 'input_image') return { image, detail }
  if (type === 'input_file') return { file, filename }
  return { text }
}

/** Images and files follow in a message of the user. */
function plainOutput(output: Loose[]): string {
  const texts = output.filter(({ type }) => type === 'input_text').map(({ text }) => text)
  return texts.length === output.length ? texts.join('') : 'MOVED'
}

function toolsIn(tools: Loose[], path: string, known: (rewrite: string) => void) {
  return tools.flatMap((tool, index) => {
    const at = `${path}[${index}]`
    const inner =
      tool.type === 'namespace'
        ? tool.tools.map((each: Loose) => ({ ...each, name: `${tool.name}__${each.name}` }))
        : [tool]
    if (tool.type === 'namespace') known('a namespace: functions with its name')
    return inner
      .filter(
        ({ type }: Loose) => type === 'function' || (type === 'tool_search' && tool.execution === 'client'),
      )
      .map(({ type, name = type, description, parameters, strict, defer_loading }: Loose) => {
        if (defer_loading) known('defer_loading of a tool: dropped')
        if ((strict ?? undefined) === undefined)
          known('a tool that does not say whether it is strict: strict if it can be')
        return {
          path: at,
          // Its schema can be strict where it is closed, in these recordings.
          what: {
            name,
            description: description || undefined,
            parameters,
            strict: (strict ?? parameters?.additionalProperties === false) || undefined,
          },
        }
      })
  }) as { path: string; what: Loose }[]
}

const settings = [
  'temperature',
  'top_p',
  'tool_choice',
  'parallel_tool_calls',
  'service_tier',
  'prompt_cache_options',
  'prompt_cache_key',
]
/** What the gateway alone reads, and what is compared elsewhere. */
const others = ['model', 'input', 'instructions', 'tools', 'include', 'store', 'stream', 'text', 'reasoning']

function settingsIn(body: Loose, known: (rewrite: string) => void): Said[] {
  const { text, reasoning, include = [] } = body
  const runsAll = (body.tools ?? []).every(({ type }: Loose) => type !== 'function')
  if (body.tool_choice !== undefined && runsAll) known('tool_choice without functions: left out')
  const said = Object.keys(body)
    .filter(name => !others.includes(name) && !(runsAll && name === 'tool_choice'))
    .map(name => ({ path: name, what: { [name]: body[name] } }))
  if (text?.format && text.format.type !== 'text') said.push({ path: 'text.format', what: text.format })
  for (const [name, value] of Object.entries(reasoning ?? {})) {
    if (value === null) continue
    if (name.endsWith('summary')) known('a summary that was asked for: left out')
    else said.push({ path: `reasoning.${name}`, what: { [name]: value } })
  }
  if (include.includes('message.output_text.logprobs'))
    said.push({ path: 'include', what: { logprobs: true } })
  const search = body.tools?.find(({ type }: Loose) => type.startsWith('web_search'))
  if (search !== undefined && body.tools.length === 1) {
    const { search_context_size, user_location } = search
    said.push({ path: 'tools[0]', what: { search_context_size, user_location } })
  }
  return said
}

/** Reads a request in chat completions. */
function readBack({
  messages,
  tools = [],
  response_format: format,
  web_search_options: search,
  ...rest
}: Loose) {
  const { reasoning_effort: effort, logprobs } = rest
  return {
    messages: (messages as Loose[]).flatMap(({ role, content, tool_calls: calls = [], tool_call_id: id }) => {
      if (role === 'tool') {
        const isMoved = typeof content === 'string' && /images and files of this result/i.test(content)
        return [{ result: id, text: isMoved ? 'MOVED' : content }]
      }
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
      return [
        ...parts.map(({ text, image_url: image, file }: Loose) => ({
          role,
          ...(text !== undefined && { text }),
          ...(image && { image: image.url, detail: image.detail }),
          ...(file && { file: file.file_data, filename: file.filename }),
        })),
        ...calls.map(({ id: call, function: { name, arguments: given } }: Loose) => ({
          call: name,
          id: call,
          arguments: given,
        })),
      ]
    }),
    tools: tools.map(({ function: { name, description, parameters, strict } }: Loose) => ({
      name,
      description,
      parameters,
      strict,
    })),
    settings: [
      ...settings.flatMap(name => (rest[name] === undefined ? [] : [{ [name]: rest[name] }])),
      ...(format === undefined ? [] : [{ type: format.type, ...format.json_schema }]),
      ...(effort === undefined ? [] : [{ effort }]),
      ...(logprobs === undefined ? [] : [{ logprobs }]),
      ...(search === undefined
        ? []
        : [
            {
              ...search,
              user_location: search.user_location && {
                ...search.user_location,
                ...search.user_location.approximate,
                approximate: undefined,
              },
            },
          ]),
    ],
  }
}

/** JSON with sorted names. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
