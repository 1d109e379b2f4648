import type { Message, Tool } from '@sluice/core'
import type { Adjusting } from '../parameters/adjusting.ts'
import { type Fields, isFields } from '../wire/json-value.ts'
import type { Dialect } from './dialect.ts'

/**
 * What this gateway's answers carry beyond the protocol, and takes back, of which every vendor knows only a
 * part: reasoning, its signatures, and marks for caches.
 */
const extensions: readonly string[] = [
  'reasoning_content',
  'reasoning_details',
  'extra_content',
  'cache_control',
]

/** Members that say nothing to a model: an answer and the pieces of a stream have them, a request needs none. */
const silent: ReadonlySet<string> = new Set(['annotations', 'index'])

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

/** Whether a vendor takes a member. */
type Takes = (member: string) => boolean

/**
 * The messages without the members that the vendor rejects or would not heed. What a model would have read in
 * them is told to `adjusting`.
 */
export function withoutForeignMembers(
  messages: readonly Message[],
  dialect: Dialect,
  adjusting: Adjusting,
): readonly Message[] {
  const { messageFields = 'any', extensions: known } = dialect
  if (messageFields === 'any' && known === undefined) return messages
  const takes = takesExtension(dialect)
  const strict = messageFields === 'strict'
  const inAssistant = strict ? among(assistantMembers, known) : takes
  const inCall = strict ? among(callMembers, known) : takes
  return messages.map((message, index) => {
    const path = `messages[${index}]`
    const isAssistant = message.role === 'assistant'
    let kept = without(message, isAssistant ? inAssistant : takes, path, adjusting)
    if (isAssistant && strict) kept = withoutNulls(kept)
    kept = withItems(kept, 'content', path, (part, at) => without(part, takes, at, adjusting))
    if (isAssistant)
      kept = withItems(kept, 'tool_calls', path, (call, at) => without(call, inCall, at, adjusting))
    return kept
  })
}

/** The tools without marks for caches, where the vendor takes none. */
export function withoutForeignMarks(
  tools: readonly Tool[],
  dialect: Dialect,
  adjusting: Adjusting,
): readonly Tool[] {
  const takes = takesExtension(dialect)
  if (takes('cache_control')) return tools
  return tools.map((tool, index) => {
    const path = `tools[${index}]`
    const kept = without(tool, takes, path, adjusting)
    if (kept.type !== 'function') return kept
    const definition = without(kept.function, takes, `${path}.function`, adjusting)
    return definition === kept.function ? kept : { ...kept, function: definition }
  })
}

function takesExtension({ messageFields, extensions: known }: Dialect): Takes {
  if (known === undefined && messageFields !== 'strict') return () => true
  return member => !extensions.includes(member) || known?.includes(member) === true
}

function among(members: readonly string[], more: readonly string[] = []): Takes {
  return member => members.includes(member) || more.includes(member)
}

function without<T extends object>(holder: T, takes: Takes, path: string, adjusting: Adjusting): T {
  let kept: Record<string, unknown> | undefined
  for (const [member, value] of Object.entries(holder)) {
    if (takes(member)) continue
    kept ??= { ...(holder as Fields) }
    delete kept[member]
    if (!silent.has(member) && saysSomething(value))
      adjusting.drop(`${path}.${member}`, 'not known to this vendor')
  }
  return kept === undefined ? holder : (kept as T)
}

/** Strict vendors want a member that says nothing left out, but for `content`. */
function withoutNulls<T extends object>(message: T): T {
  const entries = Object.entries(message)
  const kept = entries.filter(
    ([member, value]) => member === 'content' || (value !== null && value !== undefined),
  )
  return kept.length === entries.length ? message : (Object.fromEntries(kept) as T)
}

/** An object with one of its arrays changed item by item; the same object where nothing changes. */
function withItems<T extends object>(
  holder: T,
  member: string,
  path: string,
  change: (item: Fields, path: string) => Fields,
): T {
  const items: unknown = (holder as Fields)[member]
  if (!Array.isArray(items)) return holder
  const changed = items.map((item, index) =>
    isFields(item) ? change(item, `${path}.${member}[${index}]`) : item,
  )
  return changed.every((item, index) => item === items[index]) ? holder : { ...holder, [member]: changed }
}

function saysSomething(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
