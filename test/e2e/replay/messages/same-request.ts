import type { Adjustment } from '@sluice/core'
import type { Compared } from '../translated.ts'

type Json = Readonly<Record<string, unknown>>

/** Compares a request in the Messages API with what it became in a translation to the same protocol. */
export function compareRequests(before: Json, after: Json, adjustments: readonly Adjustment[]): Compared {
  const known: string[] = []
  const dropped = new Set<string>()
  const mapped: string[] = []
  for (const { parameter, action, detail } of adjustments) {
    known.push(`${parameter.replaceAll(/\[\d+\]/g, '[]')} ${action}: ${detail}`)
    if (action === 'dropped') dropped.add(parameter)
    else mapped.push(parameter)
  }
  const kept = without(before, '', dropped) as Json
  const rewritten = rewrites(kept, after, known)
  const unknown: string[] = []
  compare(plain(rewritten), plain(after), '', unknown)
  const isMapped = (path: string) => mapped.some(each => path === each || path.startsWith(`${each}.`))
  return { known, unknown: unknown.filter(path => !isMapped(path)) }
}

/** Returns a value without what is at these paths. */
function without(value: unknown, path: string, removed: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const at = `${path}[${index}]`
      return removed.has(at) ? [] : [without(item, at, removed)]
    })
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const at = path === '' ? name : `${path}.${name}`
      return removed.has(at) ? [] : [[name, without(member, at, removed)]]
    }),
  )
}

/** Says in another way what is never reported, because to a model it is the same. Adds to `known` what it met. */
function rewrites(body: Json, after: Json, known: string[]): Json {
  const said = (what: string) => void known.push(what)
  const { cache_control, thinking, tools, messages, ...rest } = body
  const seen = new Map<string, number>()
  const renamed = new Map<string, string>()
  return {
    ...rest,
    ...rewrittenThinking(body, after, said),
    ...(Array.isArray(tools) && { tools: tools.map(tool => plainTool(tool, said)) }),
    messages: withMark(messages as Json[], cache_control, said).map(({ role, content }) => ({
      role,
      content: blocksOf(content).flatMap(block => {
        if (block.type === 'tool_use') {
          const id = String(block.id)
          const count = (seen.get(id) ?? 0) + 1
          seen.set(id, count)
          renamed.set(id, count === 1 ? id : `${id}_${count}`)
          if (count > 1) said('an id of two calls: made unique')
          return [{ ...block, id: renamed.get(id) }]
        }
        if (block.type !== 'tool_result') return rewrittenBlock(block, said)
        const { content: inner, is_error, tool_use_id: id, ...result } = block
        const items = blocksOf(inner).flatMap(item => rewrittenBlock(item, said))
        const failed = is_error === true && { is_error }
        return [{ ...result, tool_use_id: renamed.get(String(id)) ?? id, content: items, ...failed }]
      }),
    })),
  }
}

/** A mark of the request is one of its last block. */
function withMark(messages: Json[], mark: unknown, said: (what: string) => void): Json[] {
  const last = messages.at(-1)
  const blocks = blocksOf(last?.content)
  const block = blocks.at(-1)
  if (mark === undefined || block === undefined) return messages
  said('cache_control of the request: on its last block')
  const marked = { ...block, cache_control: block.cache_control ?? mark }
  return [...messages.slice(0, -1), { ...last, content: [...blocks.slice(0, -1), marked] }]
}

/** How much a model thinks is one setting: the effort. */
function rewrittenThinking(
  { thinking, output_config: config }: Json,
  after: Json,
  said: (what: string) => void,
): Json {
  const hasEffort = isObject(config) && config.effort !== undefined
  const isAdaptive = isObject(after.thinking) && after.thinking.type === 'adaptive'
  if (thinking !== undefined || !hasEffort || !isAdaptive) return thinking === undefined ? {} : { thinking }
  said('output_config.effort without thinking: thinking that is adaptive')
  return { thinking: after.thinking }
}

function plainTool({ type, defer_loading: deferred, ...tool }: Json, said: (what: string) => void): Json {
  if (deferred !== undefined) said('defer_loading of a tool: dropped')
  return { ...tool, ...(type !== undefined && type !== 'custom' && { type }) }
}

function rewrittenBlock(block: Json, said: (what: string) => void): Json[] {
  const { type, text, tool_name: name, title, content, source } = block
  if (type === 'text' && String(text).trim() === '') {
    said('a blank text: dropped')
    return []
  }
  const textOf = (what: string, words: unknown) => {
    said(`${what}: its text`)
    return [{ type: 'text', text: words }]
  }
  if (type === 'tool_reference') return textOf('tool_reference', name)
  if (type === 'compaction') return textOf('compaction', content)
  if (type === 'document' && isObject(source) && source.type === 'text')
    return textOf('a document of text', `${title}\n\n${source.data}`)
  return [block]
}

/** A request in one form. Neighbouring messages of one role are one, results are first in their message. */
function plain({ system, messages, stream, temperature, ...rest }: Json): Json {
  const turns: { role: unknown; content: Json[] }[] = []
  for (const { role, content } of messages as Json[]) {
    const blocks = blocksOf(content).map(block =>
      block.type === 'tool_result' ? { ...block, content: blocksOf(block.content) } : block,
    )
    if (blocks.length === 0) continue
    const last = turns.at(-1)
    if (last !== undefined && last.role === role) last.content.push(...blocks)
    else turns.push({ role, content: blocks })
  }
  const isResult = (block: Json) => block.type === 'tool_result'
  return {
    ...rest,
    ...(temperature !== 1 && { temperature }),
    stream: stream === true,
    system: blocksOf(system),
    messages: turns.map(({ role, content }) => ({
      role,
      content: [...content.filter(isResult), ...content.filter(block => !isResult(block))],
    })),
  }
}

function blocksOf(content: unknown): Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content : []
}

function compare(before: unknown, after: unknown, path: string, found: string[]): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    for (let at = 0; at < length; at++) compare(before[at], after[at], `${path}[${at}]`, found)
  } else if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(before[name], after[name], path === '' ? name : `${path}.${name}`, found)
    }
  } else if (before !== after) found.push(path)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
