import type { Adjustment, ChatRequest, JsonObject } from '@sluice/core/provider'
import { generateJson, isObject } from './generate-json.ts'
import type { FakeReply } from './script.ts'
import { lastUserText } from './tokens.ts'

export interface GeneratedCall {
  /** `deprecated`: one of `functions`. */
  readonly form: 'function' | 'custom' | 'deprecated'
  readonly name: string
  readonly input: string
}

type Output = Pick<FakeReply, 'text' | 'error'> & { calls?: GeneratedCall[]; adjustments: Adjustment[] }

interface Tool extends Pick<GeneratedCall, 'form' | 'name'> {
  readonly parameters?: JsonObject
  readonly format?: JsonObject | undefined
  /** `tools[0].function`. */
  readonly path: string
}

/**
 * Generates the calls or the object as JSON text that a request asks for, or neither, each time the same. Returns an
 * `error` where it cannot, and in `adjustments` the schemas with keywords to which it did so without regard.
 */
export function generateStructured(request: ChatRequest): Output {
  const { messages, response_format: format } = request
  const adjustments: Adjustment[] = []
  const calls: GeneratedCall[] = []
  const drop = (parameter: string, what: string) => {
    adjustments.push({ parameter, action: 'dropped', detail: `local() generates without regard to ${what}` })
  }
  const tools = selectTools(request)
  if (tools === undefined) {
    const message = "Invalid value for 'tool_choice': no such tool is declared."
    return { error: { status: 400, message, param: 'tool_choice' }, adjustments }
  }
  const generate = (schema: JsonObject, path: string, owner: string, param = path) => {
    const { json: text, unchecked, problem } = generateJson(schema)
    if (unchecked.length > 0) drop(path, unchecked.join(', '))
    if (text !== undefined) return { text }
    return { error: { status: 400, message: `Invalid schema for ${owner}: ${problem}`, param } }
  }
  for (const { form, name, parameters, format, path } of tools) {
    if (form === 'custom') {
      if (format?.type === 'grammar') drop(`${path}.format`, 'grammar')
      calls.push({ form, name, input: lastUserText(messages) })
      continue
    }
    const schema = { type: 'object', ...parameters }
    const { error, text } = generate(schema, `${path}.parameters`, `function '${name}'`)
    if (error !== undefined) return { error, adjustments }
    calls.push({ form, name, input: text })
  }
  if (calls.length > 0) return { calls, adjustments }
  if (format?.type !== 'json_schema') return { adjustments }
  const { name, schema = { type: 'object' } } = format.json_schema
  const [path, owner] = ['response_format.json_schema.schema', `response_format '${name}'`]
  return { ...generate(schema, path, owner, 'response_format'), adjustments }
}

/**
 * Selects the tools that are called. With `auto`, where the user spoke last: the only tool, or up to eight with a
 * word of their name in the user's text. With `required`, the first one rather than none. `undefined`: there is none.
 */
function selectTools(request: ChatRequest): readonly Tool[] | undefined {
  const { tools = [], functions = [], messages, tool_choice, function_call } = request
  const choice = tool_choice ?? function_call ?? 'auto'
  if (choice === 'none') return []
  const [required, allowed] = constraintsOf(choice)
  const declared: readonly Tool[] = [
    ...tools.map((tool, index): Tool => {
      if (tool.type === 'custom') return { form: 'custom', ...tool.custom, path: `tools[${index}].custom` }
      return { form: 'function', ...tool.function, path: `tools[${index}].function` }
    }),
    ...functions.map((tool, index): Tool => ({ form: 'deprecated', ...tool, path: `functions[${index}]` })),
  ]
  const candidates = declared.filter(({ name }) => allowed === undefined || allowed.includes(name))
  const [first] = candidates
  if (first === undefined) return required ? undefined : []
  if (!required && messages.at(-1)?.role !== 'user') return []
  if (candidates.length === 1) return candidates
  const text = lastUserText(messages).slice(0, 5_000).toLowerCase()
  const isNamed = (word: string) => text.includes(word.toLowerCase())
  const named = candidates.filter(({ name }) => name.match(/[a-z]{4,}/gi)?.some(isNamed))
  const called = named.length === 0 && required ? [first] : named
  return called.slice(0, request.parallel_tool_calls === false ? 1 : 8)
}

type Choice = Exclude<ChatRequest['tool_choice' | 'function_call'], 'none' | undefined>

/** Whether a tool has to be called, and the names of those that may be, where not all may. */
function constraintsOf(choice: Choice): readonly [required: boolean, allowed?: readonly unknown[]] {
  if (choice === 'auto' || choice === 'required') return [choice === 'required']
  if ('name' in choice) return [true, [choice.name]]
  if (choice.type === 'function') return [true, [choice.function.name]]
  if (choice.type === 'custom') return [true, [choice.custom.name]]
  const { mode, tools } = choice.allowed_tools
  return [mode === 'required', tools.map(tool => [tool.function, tool.custom, tool].find(isObject)?.name)]
}
