import type { Message, Tool } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/adjusting.ts'
import { type Fields, isFields } from '../wire/json-value.ts'
import type { Dialect } from './dialect.ts'

/**
 * What this gateway's answers carry beyond the protocol, and what it takes beyond it, of which every vendor knows
 * only a part: reasoning, its signatures, marks for caches, and the wish for citations.
 */
const extensions: readonly string[] = [
  'reasoning_content',
  'reasoning_details',
  'extra_content',
  'cache_control',
  'citations',
]

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

/** What a vendor takes of whom. */
interface Taken {
  readonly strict: boolean
  readonly anywhere: Takes
  readonly inAssistant: Takes
  readonly inCall: Takes
}

/** A path in the request, which is only written out where there is something to tell. */
type Path = () => string

/** By dialect: to make them takes longer than to ask them. */
const known = new WeakMap<Dialect, Taken>()

/**
 * The messages without the members that the vendor rejects or would not heed. What a model would have read in
 * them is told to `adjusting`. The same messages where there is nothing to leave out.
 */
export function withoutForeignMembers(
  messages: readonly Message[],
  dialect: Dialect,
  adjusting: ParameterAdjuster,
): readonly Message[] {
  if (takesAll(dialect)) return messages
  const { strict, anywhere, inAssistant, inCall } = takenBy(dialect)
  let at = 0
  const path: Path = () => `messages[${at}]`
  return changed(messages, (message, index) => {
    at = index
    const isAssistant = message.role === 'assistant'
    let kept = without(message, isAssistant ? inAssistant : anywhere, path, adjusting)
    if (isAssistant && strict) kept = withoutNulls(kept)
    kept = withItems(kept, 'content', anywhere, path, adjusting)
    return isAssistant ? withItems(kept, 'tool_calls', inCall, path, adjusting) : kept
  })
}

/** The tools without marks for caches, where the vendor takes none. */
export function withoutForeignMarks(
  tools: readonly Tool[],
  dialect: Dialect,
  adjusting: ParameterAdjuster,
): readonly Tool[] {
  if (takesAll(dialect)) return tools
  const { anywhere } = takenBy(dialect)
  if (anywhere('cache_control')) return tools
  let at = 0
  const path: Path = () => `tools[${at}]`
  const inFunction: Path = () => `tools[${at}].function`
  return changed(tools, (tool, index) => {
    at = index
    const kept = without(tool, anywhere, path, adjusting)
    if (kept.type !== 'function') return kept
    const definition = without(kept.function, anywhere, inFunction, adjusting)
    return definition === kept.function ? kept : { ...kept, function: definition }
  })
}

function takesAll({ messageFields, extensions: listed }: Dialect): boolean {
  return messageFields !== 'strict' && listed === undefined
}

function takenBy(dialect: Dialect): Taken {
  let taken = known.get(dialect)
  if (taken !== undefined) return taken
  const { messageFields, extensions: listed = [] } = dialect
  const strict = messageFields === 'strict'
  const foreign = new Set(extensions.filter(member => !listed.includes(member)))
  const anywhere: Takes = member => !foreign.has(member)
  taken = {
    strict,
    anywhere,
    inAssistant: strict ? among(assistantMembers, listed) : anywhere,
    inCall: strict ? among(callMembers, listed) : anywhere,
  }
  known.set(dialect, taken)
  return taken
}

function among(members: readonly string[], more: readonly string[]): Takes {
  const all = new Set([...members, ...more])
  return member => all.has(member)
}

function without<T extends object>(holder: T, takes: Takes, path: Path, adjusting: ParameterAdjuster): T {
  let kept: Record<string, unknown> | undefined
  for (const member in holder) {
    if (takes(member)) continue
    kept ??= { ...(holder as Fields) }
    delete kept[member]
    if (saysSomething(member, holder[member]))
      adjusting.drop(`${path()}.${member}`, 'not known to this vendor')
  }
  return kept === undefined ? holder : (kept as T)
}

/** Strict vendors want a member that says nothing left out, but for `content`. */
function withoutNulls<T extends object>(message: T): T {
  let kept: Record<string, unknown> | undefined
  for (const member in message) {
    const value = message[member]
    if (member === 'content' || (value !== null && value !== undefined)) continue
    kept ??= { ...(message as Fields) }
    delete kept[member]
  }
  return kept === undefined ? message : (kept as T)
}

/** An object with one of its arrays less what is foreign in its items; the same object where nothing is. */
function withItems<T extends object>(
  holder: T,
  member: string,
  takes: Takes,
  path: Path,
  adjusting: ParameterAdjuster,
): T {
  const items: unknown = (holder as Fields)[member]
  if (!Array.isArray(items)) return holder
  const kept = changed(items, (item: unknown, index) =>
    isFields(item) ? without(item, takes, () => `${path()}.${member}[${index}]`, adjusting) : item,
  )
  return kept === items ? holder : { ...holder, [member]: kept }
}

/** A list with its items changed; the same list where none is. */
function changed<T>(items: readonly T[], change: (item: T, index: number) => T): readonly T[] {
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

/** Whether a model would miss it. An answer's lists of sources, and the places of its pieces, say nothing to one. */
function saysSomething(member: string, value: unknown): boolean {
  if (value === null || value === undefined || value === '' || member === 'index') return false
  if (Array.isArray(value) && (member === 'annotations' || member === 'citations')) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
