import type { Adjustment, ChatRequest } from '@sluice/core/provider'
import type { Item, Reading, ReadTool, ReadTurn } from './reading.ts'

/** What a vendor's request lacks of a caller's, has twice, or has in another order; nothing where all is there. */
export function losses(
  wanted: Reading,
  got: Reading,
  input: ChatRequest,
  adjustments: readonly Adjustment[] = [],
): string[] {
  // A tool that the vendor has no form of may be left out, where the gateway's owner chose that.
  const told = new Set(adjustments.map(({ parameter }) => parameter))
  const tools = wanted.tools.filter((_, index) => !told.has(`tools[${index}]`))
  return [
    ...systemLosses(wanted, got, input),
    ...turnLosses(wanted, filled(adjustments) ? withoutOwnWords(got) : got),
    ...toolLosses({ ...wanted, tools }, got, input),
  ]
}

/** Texts may be joined; words of the provider's own only say how to answer. */
function systemLosses(wanted: Reading, got: Reading, input: ChatRequest): string[] {
  let left = got.system.join('\n\n')
  let from = 0
  const lost: string[] = []
  for (const text of wanted.system.filter(isWritten)) {
    const at = left.indexOf(text, from)
    if (at === -1) lost.push(`the system text ${JSON.stringify(text)}`)
    else left = left.slice(0, at) + left.slice(at + text.length)
    from = Math.max(at, from)
  }
  const own = isWritten(left) && (input.response_format?.type ?? 'text') === 'text'
  return own ? [...lost, `words that nobody said: ${left}`] : lost
}

/** Whether the provider says that it added words to the messages. */
function filled(adjustments: readonly Adjustment[]): boolean {
  return adjustments.some(({ parameter, action }) => action === 'defaulted' && /^messages/.test(parameter))
}

/** Without the texts that carry no number of a caller's. */
function withoutOwnWords({ turns, ...rest }: Reading): Reading {
  const own = (item: Item) => item.kind === 'text' && !/<\d+> /.test(item.text)
  return {
    ...rest,
    turns: turns.map(({ role, items }) => ({ role, items: items.filter(item => !own(item)) })),
  }
}

function turnLosses(wanted: Reading, got: Reading): string[] {
  const byName = got.turns.every(({ items }) =>
    items.every(item => item.kind !== 'call' || item.id === undefined),
  )
  const expected = comparable(wanted, byName, true)
  const found = comparable(got, byName, false)
  const length = Math.max(expected.length, found.length)
  return Array.from({ length }, (_, at) => at)
    .filter(at => expected[at] !== found[at])
    .slice(0, 3)
    .map(at => `wanted ${expected[at] ?? 'nothing'}, got ${found[at] ?? 'nothing'}`)
}

/** Each thing in a turn as text, in the order in which it has to come. */
function comparable({ turns }: Reading, byName: boolean, wanted: boolean): string[] {
  let calls: readonly Item[] = []
  const said = joined(
    turns.filter(({ items }) => items.some(item => item.kind !== 'text' || isWritten(item.text))),
  )
  return said.flatMap((turn, index) => {
    const items = written(turn, index === said.length - 1 && turn.role === 'assistant')
    const results = items.flatMap(item => (item.kind === 'result' ? [{ item, at: callOf(item, calls) }] : []))
    // Results may be put in the order of their calls; where they have no ids they have to be.
    const ordered = byName && !wanted ? results : results.sort((a, b) => a.at - b.at)
    const lines = ordered.map(({ item, at }) => resultLine(item, calls[at], byName ? undefined : at))
    calls = items.filter(({ kind }) => kind === 'call')
    const others = items.flatMap(item => (item.kind === 'result' ? [] : [line(item)]))
    return [...lines, ...others].map(text => `${turn.role}: ${text}`)
  })
}

function written({ items }: ReadTurn, last: boolean): Item[] {
  const texts = items.filter(item => item.kind !== 'text' || isWritten(item.text))
  const end = texts.at(-1)
  return last && end?.kind === 'text' ? [...texts.slice(0, -1), { ...end, text: end.text.trimEnd() }] : texts
}

/** Turns of one role are one: what was between them may be a text of white space. */
function joined(turns: readonly ReadTurn[]): ReadTurn[] {
  const all: ReadTurn[] = []
  for (const turn of turns) {
    const last = all.at(-1)
    if (last?.role !== turn.role) all.push(turn)
    else all[all.length - 1] = { ...last, items: [...last.items, ...turn.items] }
  }
  return all
}

function callOf({ of }: Item & { kind: 'result' }, calls: readonly Item[]): number {
  return calls.findLastIndex(call => call.kind === 'call' && call.id === of)
}

/** Whose result it is is said by the call's id, or where the vendor has none by its name and the order. */
function resultLine(
  { of, text }: Item & { kind: 'result' },
  call: Item | undefined,
  at: number | undefined,
): string {
  const name = call?.kind === 'call' ? call.name : of
  return `the result for call ${at ?? name}: ${unwrapped(text)}`
}

/** A result that is JSON may have gone as JSON, and its parts may have been joined by lines. */
function unwrapped(text: string): string {
  const plain = text.replace(/\s/g, '')
  try {
    return JSON.stringify(JSON.parse(plain))
  } catch {
    return JSON.stringify(plain)
  }
}

function line(item: Exclude<Item, { kind: 'result' }>): string {
  switch (item.kind) {
    case 'text':
      return JSON.stringify(item.text)
    case 'data':
      return `data ${plainData(item.data)}`
    case 'call':
      return `a call of ${item.name} with ${JSON.stringify(item.input)}`
  }
}

/** A text file may go as its text. */
function plainData(data: string): string {
  const decoded = Buffer.from(data, 'base64').toString()
  return decoded.startsWith('data of') ? decoded : data
}

function toolLosses(wanted: Reading, got: Reading, input: ChatRequest): string[] {
  const { tool_choice: choice, response_format: format } = input
  const allowed =
    typeof choice === 'object' && choice.type === 'allowed_tools'
      ? choice.allowed_tools.tools.map(tool => (tool as { function?: { name?: string } }).function?.name)
      : undefined
  const expected = wanted.tools.filter(({ name }) => allowed?.includes(name) ?? true)
  const names = expected.map(({ name }) => name)
  const found = got.tools.filter(({ name }) => names.includes(name))
  const further = got.tools.filter(
    ({ name }) => !names.includes(name) && !wanted.tools.some(tool => tool.name === name),
  )
  const lost: string[] = []
  // Where none may be called, it is the same if there are none.
  if (choice === 'none' && got.tools.length === 0) return lost
  if (found.map(({ name }) => name).join() !== names.join()) {
    lost.push(`wanted the tools ${names}, got ${got.tools.map(({ name }) => name)}`)
  }
  // Some vendors want every tool declared that was ever called; an answer by a schema may need one more.
  const called = wanted.turns.flatMap(({ items }) =>
    items.flatMap(item => (item.kind === 'call' ? item.name : [])),
  )
  const own = further.filter(({ name }) => !called.includes(name))
  const needed =
    wanted.tools.length === 0 && wanted.turns.some(({ items }) => items.some(({ kind }) => kind === 'result'))
  if (own.length > (format?.type === 'json_schema' || needed ? 1 : 0)) {
    lost.push(`got tools that nobody gave: ${own.map(({ name }) => name)}`)
  }
  for (const [index, tool] of expected.entries()) lost.push(...toolLoss(tool, found[index], input))
  return lost
}

function toolLoss(wanted: ReadTool, got: ReadTool | undefined, { tools = [] }: ChatRequest): string[] {
  if (got === undefined) return []
  const lost: string[] = []
  if ((wanted.description ?? '').trim() !== (got.description ?? '').trim()) {
    lost.push(`wanted the description ${wanted.description}, got ${got.description}`)
  }
  // A schema that is held to strictly may have to be closed for it.
  const given = tools.find(tool => tool.type === 'function' && tool.function.name === wanted.name)
  if (given?.type === 'function' && given.function.strict === true) return lost
  if (rooted(wanted.schema) !== rooted(got.schema)) {
    lost.push(`wanted the schema ${JSON.stringify(wanted.schema)}, got ${JSON.stringify(got.schema)}`)
  }
  return lost
}

/** What is not said of a schema's root is that it is an object of any properties. */
function rooted(schema: unknown): string {
  const { type, properties, ...rest } = (schema ?? {}) as Record<string, unknown>
  return JSON.stringify({ type: type ?? 'object', properties: properties ?? {}, ...rest })
}

function isWritten(text: string): boolean {
  return text.trim() !== ''
}
