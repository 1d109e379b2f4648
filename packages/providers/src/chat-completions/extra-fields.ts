import type { Message, Tool } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { type Fields, isFields } from '../wire/json-value.ts'
import type { CompatibilityOptions } from './compatibility-options.ts'

/**
 * The gateway's fields outside the protocol: reasoning and its signatures, cache marks, and citations. Each server
 * supports only some of them.
 */
const extensions: readonly string[] = [
  'reasoning_content',
  'reasoning_details',
  'extra_content',
  'cache_control',
  'citations',
]

/** What an earlier vendor added to its answer. No model reads it, so only servers that list it get it. */
const answerFields = 'provider_specific_fields'

const assistantMembers: readonly string[] = [
  'role',
  'content',
  'name',
  'refusal',
  'audio',
  'tool_calls',
  'function_call',
]
const callMembers: readonly string[] = ['id', 'type', 'function', 'custom']

/** Whether a server accepts a field. */
type AcceptsField = (member: string) => boolean

/** The fields that a server accepts, by where they are. */
interface AcceptedFields {
  readonly strict: boolean
  readonly anywhere: AcceptsField
  readonly inAssistant: AcceptsField
  readonly inCall: AcceptsField
}

/** A path in the request. A function, because it is needed only for a report. */
type Path = () => string

/** Cached by options object: to create the sets takes longer than to use them. */
const known = new WeakMap<CompatibilityOptions, AcceptedFields>()

/**
 * Returns the messages without extra fields that the server rejects or ignores; the same array if there are none. Reports
 * each dropped field that a model would have read.
 */
export function withoutExtraFields(
  messages: readonly Message[],
  compatibility: CompatibilityOptions,
  adjuster: ParameterAdjuster,
): readonly Message[] {
  if (acceptsAllFields(compatibility)) return mapItems(messages, withoutAnswerFields)
  const { strict, anywhere, inAssistant, inCall } = acceptedFieldsOf(compatibility)
  let at = 0
  const path: Path = () => `messages[${at}]`
  return mapItems(messages, (message, index) => {
    at = index
    const isAssistant = message.role === 'assistant'
    let result = omitFields(message, isAssistant ? inAssistant : anywhere, path, adjuster)
    if (isAssistant && strict) result = withoutNulls(result)
    result = withItems(result, 'content', anywhere, path, adjuster)
    return isAssistant ? withItems(result, 'tool_calls', inCall, path, adjuster) : result
  })
}

/** Returns the tools without `cache_control`, if the server does not support it. */
export function withoutCacheMarks(
  tools: readonly Tool[],
  compatibility: CompatibilityOptions,
  adjuster: ParameterAdjuster,
): readonly Tool[] {
  if (acceptsAllFields(compatibility)) return tools
  const { anywhere } = acceptedFieldsOf(compatibility)
  if (anywhere('cache_control')) return tools
  let at = 0
  const path: Path = () => `tools[${at}]`
  const inFunction: Path = () => `tools[${at}].function`
  return mapItems(tools, (tool, index) => {
    at = index
    const result = omitFields(tool, anywhere, path, adjuster)
    if (result.type !== 'function') return result
    const definition = omitFields(result.function, anywhere, inFunction, adjuster)
    return definition === result.function ? result : { ...result, function: definition }
  })
}

function withoutAnswerFields(message: Message): Message {
  if (message.role !== 'assistant' || !(answerFields in message)) return message
  const { [answerFields]: _, ...rest } = message
  return rest as Message
}

function acceptsAllFields({ messageFields, extensions: listed }: CompatibilityOptions): boolean {
  return messageFields !== 'strict' && listed === undefined
}

function acceptedFieldsOf(compatibility: CompatibilityOptions): AcceptedFields {
  let taken = known.get(compatibility)
  if (taken !== undefined) return taken
  const { messageFields, extensions: listed = [] } = compatibility
  const strict = messageFields === 'strict'
  const foreign = new Set([...extensions, answerFields].filter(member => !listed.includes(member)))
  const anywhere: AcceptsField = member => !foreign.has(member)
  taken = {
    strict,
    anywhere,
    inAssistant: strict ? isOneOf(assistantMembers, listed) : anywhere,
    inCall: strict ? isOneOf(callMembers, listed) : anywhere,
  }
  known.set(compatibility, taken)
  return taken
}

function isOneOf(members: readonly string[], more: readonly string[]): AcceptsField {
  const all = new Set([...members, ...more])
  return member => all.has(member)
}

function omitFields<T extends object>(
  holder: T,
  takes: AcceptsField,
  path: Path,
  adjuster: ParameterAdjuster,
): T {
  let result: Record<string, unknown> | undefined
  for (const member in holder) {
    if (takes(member)) continue
    result ??= { ...(holder as Fields) }
    delete result[member]
    if (isMeaningful(member, holder[member])) adjuster.drop(`${path()}.${member}`, 'not known to this vendor')
  }
  return result === undefined ? holder : (result as T)
}

/** Strict servers reject `null`, except for `content`. */
function withoutNulls<T extends object>(message: T): T {
  let result: Record<string, unknown> | undefined
  for (const member in message) {
    const value = message[member]
    if (member === 'content' || (value !== null && value !== undefined)) continue
    result ??= { ...(message as Fields) }
    delete result[member]
  }
  return result === undefined ? message : (result as T)
}

/** Omits extra fields in the items of one array; returns the same object if there are none. */
function withItems<T extends object>(
  holder: T,
  member: string,
  takes: AcceptsField,
  path: Path,
  adjuster: ParameterAdjuster,
): T {
  const items: unknown = (holder as Fields)[member]
  if (!Array.isArray(items)) return holder
  const result = mapItems(items, (item: unknown, index) =>
    isFields(item) ? omitFields(item, takes, () => `${path()}.${member}[${index}]`, adjuster) : item,
  )
  return result === items ? holder : { ...holder, [member]: result }
}

/** Maps an array; returns the same array if no item changes. */
function mapItems<T>(items: readonly T[], change: (item: T, index: number) => T): readonly T[] {
  let copy: T[] | undefined
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!
    const next = change(item, index)
    if (next === item) continue
    copy ??= [...items]
    copy[index] = next
  }
  return copy ?? items
}

/** Whether the value has meaning for a model. Source lists and chunk indexes of earlier answers have none. */
export function isMeaningful(member: string, value: unknown): boolean {
  if (member === answerFields) return false
  if (value === null || value === undefined || value === '' || member === 'index') return false
  if (Array.isArray(value) && (member === 'annotations' || member === 'citations')) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
