import type { ExchangeBody } from '../exchanges.ts'
import { publicName } from '../pass-through.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was recorded
type Loose = any

/** What asks for reasoning that can be sent back. */
export const encrypted = 'reasoning.encrypted_content'

/** The events that a caller gets for those of a vendor. */
export interface ExpectedEvents {
  readonly events: readonly Loose[]
  /** What had to be mended. */
  readonly mended: readonly string[]
}

/** Returns what a caller gets of a response: with the names of the gateway, and without reasoning that it did not ask for. */
export function expectedResponse(response: Loose, body: ExchangeBody, id: string, isStored: boolean): Loose {
  const { output } = response
  return {
    ...response,
    id,
    model: publicName(body.model),
    store: isStored,
    previous_response_id: null,
    ...(Array.isArray(output) && { output: output.map(item => shown(item, body)) }),
  }
}

/** Returns the events that a caller gets for those of a vendor. */
export function expectedEvents(given: readonly Loose[], body: ExchangeBody, id: string): ExpectedEvents {
  const mended = new Set<string>()
  const parts = new Map<number, number[]>()
  const events = withItemsEnded(given, mended).map((event, index) => {
    const isLast = index === given.length - 1
    if (event.sequence_number !== index && !isLast) mended.add('events are numbered without a gap')
    const type = event.type.replace('.reasoning_part.', '.content_part.')
    if (type !== event.type) mended.add('a part of reasoning has the name of any part')
    const part = partIndex(event, parts)
    if (part !== event.content_index) mended.add('parts of an item are numbered from 0')
    return {
      ...event,
      type,
      sequence_number: index,
      ...(part !== undefined && { content_index: part }),
      ...(event.response && {
        response: expectedResponse(event.response, body, id, isEnd(event) && body.store !== false),
      }),
      ...(event.item && { item: shown(event.item, body) }),
    }
  })
  return { events, mended: [...mended] }
}

/** The parts of an item are numbered as they come. */
function partIndex(event: Loose, parts: Map<number, number[]>): number | undefined {
  const { output_index: item, content_index: index } = event
  if (index === undefined) return undefined
  const indices = parts.get(item) ?? []
  parts.set(item, indices)
  if (!indices.includes(index)) indices.push(index)
  return indices.indexOf(index)
}

/** Each item ends once, and has one id. */
function withItemsEnded(given: readonly Loose[], mended: Set<string>): readonly Loose[] {
  const last = given.at(-1)
  const added = given.filter(({ type }) => type === 'response.output_item.added')
  const ended = new Set(
    given.filter(({ type }) => type === 'response.output_item.done').map(({ output_index }) => output_index),
  )
  const open = added.filter(({ output_index }) => !ended.has(output_index))
  const { output } = last.response
  if (open.length > 0) mended.add('an item ends that its vendor left open')
  const ids = added.map(({ item }) => item.id)
  if (output.some((item: Loose, at: number) => item.id !== ids[at])) mended.add('an item keeps its id')
  const { output_text: text, ...response } = last.response
  if (text === '' && JSON.stringify(output).includes('"output_text"'))
    mended.add('a text is not said to be empty')
  return [
    ...given.slice(0, -1),
    ...open.map(({ output_index }) => ({
      type: 'response.output_item.done',
      output_index,
      item: output[output_index],
    })),
    {
      ...last,
      response: {
        ...response,
        output: output.map((item: Loose, at: number) => ({ ...item, id: ids[at] })),
      },
    },
  ]
}

function isEnd({ type }: Loose): boolean {
  return type === 'response.completed' || type === 'response.incomplete'
}

function shown(item: Loose, { include, store }: ExchangeBody): Loose {
  const asks = store === false || (Array.isArray(include) && include.includes(encrypted))
  if (asks || item.type !== 'reasoning' || item.encrypted_content === null) return item
  const { encrypted_content: _, ...rest } = item
  return rest
}
