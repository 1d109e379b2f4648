import { GatewayError } from '@sluice/core'
import type { ChatRequest, EncodedRequest } from '@sluice/core/provider'

type Path = readonly (string | number)[]

/** Members deep in a request that a vendor may lack, each with the values that ask for nothing. */
const members: Readonly<Record<string, (value: unknown, holder: object) => boolean>> = {
  name: () => false,
  detail: value => value === 'auto',
  filename: value => value === '',
  strict: value => value === false,
  cache_control: () => false,
  // The details say it with its signature.
  reasoning_content: (value, holder) => String(value).trim() === '' || detailsOf(holder).length > 0,
  reasoning_details: (_, holder) => !hasDetails(holder),
  extra_content: value => !isObject(value) || !isObject((value as { google?: unknown }).google),
}

/** The members deep in a request that are neither in the vendor's request nor told of. */
export async function silentMembers(
  input: ChatRequest,
  { body, adjustments = [] }: EncodedRequest,
  encoded: (input: ChatRequest) => Promise<EncodedRequest | GatewayError>,
): Promise<string[]> {
  const told = adjustments.map(({ parameter }) => parameter)
  const lost: string[] = []
  for (const path of memberPaths({ messages: input.messages, tools: input.tools ?? [] }, [])) {
    const words = inWords(path)
    const copy = structuredClone(input)
    const holder = holderOf(copy, path)
    if (told.some(parameter => tellsOf(parameter, words)) || asksNothing(path, holder, input)) continue
    for (const each of [holder, ...alike(copy, path)]) delete each[String(path.at(-1))]
    const without = await encoded(copy)
    if (!GatewayError.is(without) && without.body === body) lost.push(words)
  }
  return lost
}

/** `messages[0].content[1].detail` */
function inWords(path: Path): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at ? `.${step}` : step)).join('')
}

/** An adjustment tells of what it names, of what is in that, and of its kind anywhere. */
function tellsOf(parameter: string, words: string): boolean {
  const within = parameter.startsWith(`${words}[`) || words.startsWith(`${parameter}.`)
  return parameter === words || within || words.endsWith(`.${parameter}`)
}

function asksNothing(path: Path, holder: object, { tool_choice: choice = 'auto' }: ChatRequest): boolean {
  const key = path.at(-1)
  // Of a tool that may not be called nothing is said.
  if (path[0] === 'tools' && choice !== 'auto' && choice !== 'required') return true
  // A mark on nothing marks nothing.
  if (key === 'cache_control') return saysNothing(holder)
  // Where a call is forced, its arguments are held to their schema anyway.
  return key === 'strict' && choice === 'required'
}

function holderOf(input: ChatRequest, path: Path): Record<string, unknown> {
  return path
    .slice(0, -1)
    .reduce((value, step) => value[step] as Record<string, unknown>, input as Record<string, unknown>)
}

/** Where these members are; a tool's schema and a call's arguments have members of their own. */
function memberPaths(value: unknown, path: Path): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => memberPaths(item, [...path, at]))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...path, key]
    const required = key === 'name' && path.at(-1) !== undefined && typeof path.at(-1) !== 'number'
    const asks = Object.hasOwn(members, key) && !required && !members[key]!(inner, value)
    if (key in members || key === 'parameters') return asks ? [here] : []
    return memberPaths(inner, here)
  })
}

function detailsOf({ reasoning_details: details = [] }: { reasoning_details?: unknown[] }): object[] {
  return details.filter(isObject)
}

/** Details without a signature or data are no vendor's. */
function hasDetails(holder: object): boolean {
  return detailsOf(holder).some(
    detail => Boolean('signature' in detail && detail.signature) || Boolean('data' in detail && detail.data),
  )
}

/** What holds a member that says the same: one strict tool makes all of them strict, a message is marked by its last part. */
function alike(input: ChatRequest, path: Path): Record<string, unknown>[] {
  if (path.at(-1) === 'strict') {
    const functions = (input.tools ?? []).flatMap(tool => (tool.type === 'function' ? tool.function : []))
    return functions as unknown as Record<string, unknown>[]
  }
  if (path.at(-1) !== 'cache_control' || path[0] !== 'messages') return []
  const message = holderOf(input, path.slice(0, 3))
  const parts = Array.isArray(message.content) ? (message.content as Record<string, unknown>[]) : []
  return [message, ...parts]
}

function saysNothing(holder: object): boolean {
  const { content, text, role, tool_calls: calls } = holder as Record<string, unknown>
  if (role === 'tool' || calls !== undefined || 'function' in holder) return false
  if (Array.isArray(content)) return content.every(part => saysNothing(part as object))
  return 'text' in holder ? String(text).trim() === '' : typeof content === 'string' && content.trim() === ''
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
