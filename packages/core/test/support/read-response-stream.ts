// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

/** A response as a client puts it together from a stream. */
export interface ReadResponse {
  /** That of the last event. */
  readonly response: Loose
  /** The items, as their last events have them. */
  readonly items: readonly Loose[]
  /** The types of all events, in order. */
  readonly types: readonly string[]
  /** The event `error`, if the stream broke. */
  readonly error: Loose
}

/** Splits a stream into its events. Throws for an event whose name is not its type, and without `[DONE]` at the end. */
export function responseEvents(text: string): Loose[] {
  check(text.endsWith('data: [DONE]\n\n'), `no end mark: ${text.slice(-80)}`)
  return openEvents(text.slice(0, -'data: [DONE]\n\n'.length))
}

/** Splits a stream that has not ended into its events. */
export function openEvents(text: string): Loose[] {
  if (text === '') return []
  check(text.endsWith('\n\n'), 'the last event has no end')
  return text
    .slice(0, -2)
    .split('\n\n')
    .filter(event => !event.startsWith(':'))
    .map(event => {
      const [name, ...lines] = event.split('\n')
      check(
        name!.startsWith('event: ') && lines.every(line => line.startsWith('data: ')),
        `odd event: ${event}`,
      )
      const value = JSON.parse(lines.map(line => line.slice(6)).join('\n'))
      check(value.type === name!.slice(7), `the event ${name} is of type ${value.type}`)
      return value
    })
}

const lastTypes = ['response.completed', 'response.incomplete', 'response.failed']

/** The member of each part whose text is streamed. */
const partText: Readonly<Record<string, string>> = {
  output_text: 'text',
  refusal: 'refusal',
  reasoning_text: 'text',
  summary_text: 'text',
}

interface Part {
  readonly list: string
  readonly type: string
  text: string
  open: boolean
  textDone: boolean
}

interface Item {
  readonly id: string
  readonly type: string
  readonly parts: Map<string, Part>
  input: string
  inputDone: boolean
  done: Loose
}

/**
 * Reads a stream of the Responses API as a strict client: numbers have no gap, items begin in order and end once, each delta belongs
 * to a part or an item that is open, and what was streamed is what the last event has. Throws `Error` for anything else.
 */
export function readResponseStream(text: string): ReadResponse {
  const events = responseEvents(text)
  const isQueued = events[1]?.type === 'response.queued'
  const [created, progress, ...rest] = isQueued ? [events[0], ...events.slice(2)] : events
  check(created?.type === 'response.created', 'the first event is no response.created')
  check(progress?.type === 'response.in_progress', 'the opening has no response.in_progress')
  check(
    created.response.status === (isQueued ? 'queued' : 'in_progress') && created.response.output.length === 0,
    'odd opening',
  )
  for (const [at, event] of events.entries())
    check(event.sequence_number === at, `number ${event.sequence_number} at ${at}`)
  const items: Item[] = []
  let error: Loose
  let last: Loose
  for (const event of rest) {
    check(last === undefined, `${event.type} after the end`)
    if (lastTypes.includes(event.type)) last = event
    else if (event.type === 'error') error = event
    else if (event.type === 'response.output_item.added') items.push(addedItem(event, items))
    else if ('item_id' in event || event.type === 'response.output_item.done') readItemEvent(event, items)
  }
  check(last !== undefined, 'no last event')
  const { response } = last
  check(response.id === created.response.id, 'another id at the end')
  check(response.model === created.response.model, 'another model at the end')
  for (const item of items) check(item.done !== undefined, `the item ${item.id} is open at the end`)
  const ended = items.map(({ done }) => done)
  same(response.output.map(withoutSecret), ended.map(withoutSecret), 'the output')
  const isFailed = last.type === 'response.failed' && response.status !== 'cancelled'
  check((error !== undefined) === isFailed, 'an error without a failure')
  return { response, items: ended, types: events.map(({ type }) => type), error }
}

/** Vendors encrypt the same reasoning again for each event. */
function withoutSecret({ encrypted_content: _, ...item }: Loose): Loose {
  return item
}

function addedItem({ output_index: index, item }: Loose, items: readonly Item[]): Item {
  check(index === items.length, `the index ${index}, expected ${items.length}`)
  check(typeof item.id === 'string' && item.id !== '', 'an item without an id')
  check(!items.some(({ id }) => id === item.id), `the id ${item.id} twice`)
  return { id: item.id, type: item.type, parts: new Map(), input: '', inputDone: false, done: undefined }
}

function readItemEvent(event: Loose, items: readonly Item[]): void {
  const item = items[event.output_index]
  check(item !== undefined, `${event.type} of no item`)
  check(item!.done === undefined, `${event.type} of an item that has ended`)
  if (event.type === 'response.output_item.done') {
    endItem(event.item, item!)
    return
  }
  check(event.item_id === item!.id, `${event.type} with the id ${event.item_id}`)
  const name = event.type.slice('response.'.length)
  if (name === 'function_call_arguments.delta' || name === 'custom_tool_call_input.delta') {
    check(!item!.inputDone, 'a delta after its end')
    item!.input += event.delta
  } else if (name === 'function_call_arguments.done' || name === 'custom_tool_call_input.done') {
    same(event.arguments ?? event.input, item!.input, 'the input')
    item!.inputDone = true
  } else if ('content_index' in event || 'summary_index' in event) readPartEvent(event, name, item!)
}

function readPartEvent(event: Loose, name: string, item: Item): void {
  const list = 'summary_index' in event ? 'summary' : 'content'
  const key = `${list}${event.summary_index ?? event.content_index}`
  if (name.endsWith('part.added')) {
    check(!item.parts.has(key), `the part ${key} twice`)
    const { type } = event.part
    check(event.part[partText[type]!] === '', 'a part that begins with text')
    item.parts.set(key, { list, type, text: '', open: true, textDone: false })
    return
  }
  const part = item.parts.get(key)
  check(part?.open === true, `${event.type} of no open part`)
  if (name.endsWith('annotation.added')) return
  if (name.endsWith('.delta')) {
    check(!part!.textDone, 'a delta after its end')
    part!.text += event.delta
  } else if (name.endsWith('part.done')) {
    check(part!.textDone, 'a part that ends before its text')
    same(event.part[partText[part!.type]!], part!.text, 'the part')
    part!.open = false
  } else if (name.endsWith('.done')) {
    same(event[partText[part!.type]!], part!.text, 'the text')
    part!.textDone = true
  } else throw new Error(`odd event: ${event.type}`)
}

function endItem(done: Loose, item: Item): void {
  check(done.id === item.id && done.type === item.type, `the item ${item.id} ends as ${done.id}`)
  check(![...item.parts.values()].some(({ open }) => open), 'an item that ends before its part')
  for (const list of ['content', 'summary']) {
    const texts = [...item.parts.values()].filter(part => part.list === list).map(({ text }) => text)
    const inItem = (done[list] ?? []).map((part: Loose) => part[partText[part.type]!])
    same(inItem, texts, `the ${list} of an item`)
  }
  const input =
    done.type === 'function_call' ? done.arguments : done.type === 'custom_tool_call' ? done.input : undefined
  if (input !== undefined) {
    check(item.inputDone, 'a call that ends before its input')
    same(input, item.input, 'the input of an item')
  }
  item.done = done
}

function same(a: unknown, b: unknown, what: string): void {
  check(JSON.stringify(a) === JSON.stringify(b), `${what}: ${JSON.stringify(a)} is not ${JSON.stringify(b)}`)
}

function check(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Error(message)
}
