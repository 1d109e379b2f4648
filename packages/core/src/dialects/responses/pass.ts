import type { AnswerIdentity, FinishedResponse } from '../../contracts/dialect.ts'
import type { NativeEvent } from '../../contracts/provider.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import type { BodyEdit } from '../../protocol/body-edit.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { spliceJson } from '../../protocol/splice-json.ts'
import { headText, itemHead, type ResponseEventWriter } from './events.ts'
import { checkTextSize, type PartType, TextPart } from './output-items.ts'
import { asksForReasoning, runsInBackground } from './response-object.ts'

/** What a passed stream needs. */
export interface PassedStreamOptions {
  readonly identity: Pick<AnswerIdentity, 'id' | 'model'>
  readonly body: JsonObject
  readonly newId: () => string
  readonly events: ResponseEventWriter
  /** Whether the events that open a response were sent already. */
  readonly opened: boolean
}

/** An item of the vendor. */
interface PassedItem {
  readonly id: string
  readonly index: number
  /** As it was added, and as it is once it has ended. */
  value: JsonObject
  isOpen: boolean
  readonly parts: Map<string, TextPart>
  /** The arguments or the input of a call so far. */
  input: string
}

/** The part that an event is about, by the name of the event up to its last dot. */
const partTypes: Readonly<Record<string, PartType>> = {
  'response.output_text': 'output_text',
  'response.refusal': 'refusal',
  'response.reasoning_text': 'reasoning_text',
  'response.reasoning_summary_text': 'summary_text',
}

/** The events that end the input of a call, with its member. */
const inputEnds: Readonly<Record<string, { readonly type: string; readonly member: string }>> = {
  function_call: { type: 'response.function_call_arguments.done', member: 'arguments' },
  custom_tool_call: { type: 'response.custom_tool_call_input.done', member: 'input' },
}

/** How the ids begin that are made for items without one. */
const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
}

const openings: ReadonlySet<string> = new Set(['response.created', 'response.in_progress', 'response.queued'])

/** Maximum number of items of an answer. */
const maxItems = 4_096

/** Returns the response of a vendor of the protocol, which is JSON text, as the caller gets it. */
export function passResponse(
  native: string,
  identity: Pick<AnswerIdentity, 'id' | 'model'>,
  body: JsonObject,
): string {
  return finishPassedResponse(native, identity, body).text(false)
}

/** Returns the response of a vendor of the protocol, which may be stored before it is sent. */
export function finishPassedResponse(
  native: string,
  identity: Pick<AnswerIdentity, 'id' | 'model'>,
  body: JsonObject,
): FinishedResponse & { text(stored: boolean): string } {
  const value = JSON.parse(native) as JsonObject
  const text = (stored: boolean) =>
    spliceJson(native, [
      ...responseEdits(value, [], { identity, body, stored }),
      ...(asksForReasoning(body) ? [] : secretEdits(jsonMember(value, 'output'), ['output'])),
      ...outputTextEdits(value, jsonItems(value.output), []),
    ])
  return {
    text,
    response: stored => JSON.parse(text(stored)) as JsonObject,
    items: jsonItems(value.output) as readonly JsonObject[],
  }
}

/**
 * Sends the events of a vendor of the protocol as they came, except for the ids and names of the gateway. What breaks the order
 * that clients rely on is mended: ids that change within a stream, numbers, parts and items without their beginning or their
 * end, and a last event without output. Items are known by their `output_index`.
 */
export class PassedStream {
  readonly #options: PassedStreamOptions
  readonly #showsSecrets: boolean
  readonly #items: PassedItem[] = []
  readonly #byIndex = new Map<JsonValue | undefined, PassedItem>()
  readonly #ids = new Set<string>()
  #hasBegun: boolean
  #last: { readonly type: string; readonly data: string; readonly value: JsonObject } | undefined
  #size = 0

  constructor(options: PassedStreamOptions) {
    this.#options = options
    this.#hasBegun = options.opened
    this.#showsSecrets = asksForReasoning(options.body)
  }

  /** Whether an opening was sent. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** The items so far, as the caller gets them. */
  get values(): readonly JsonObject[] {
    return this.#items.map(({ value }) => this.#shown(value))
  }

  /** Begins with the first event of the vendor. Returns `false` if that does not open a response. */
  begin(first: NativeEvent | undefined): boolean {
    this.#hasBegun = true
    if (first === undefined || typeOf(first, objectIn(first.data)) !== 'response.created') return false
    this.#options.events.reset()
    return true
  }

  /** Sends an event. An error is left out: the gateway ends the stream with its own. */
  push(event: NativeEvent): void {
    const value = objectIn(event.data)
    const type = typeOf(event, value)
    this.#size += event.data.length
    checkTextSize(this.#size)
    if (this.#last !== undefined || type === 'error' || type === 'response.failed') return
    if (type === 'response.completed' || type === 'response.incomplete') {
      this.#last = { type, data: event.data, value }
      return
    }
    if (openings.has(type)) {
      if (this.#options.opened) return
      this.#write(type, event.data, value, responseEdits(value.response, ['response'], this.#options))
    } else if (type === 'response.output_item.added') this.#add(event.data, value)
    else if (type === 'response.output_item.done') this.#end(event.data, value)
    else if (Object.hasOwn(value, 'output_index')) this.#pushToItem(type, event.data, value)
    else this.#write(type, event.data, value, [])
  }

  /** Ends all items. Throws `UpstreamError` of kind `truncated` without the last event of the vendor. */
  finish(): FinishedResponse {
    const last = this.#last
    if (last === undefined) {
      throw new UpstreamError("The upstream's stream ended before its answer was complete.", {
        kind: 'truncated',
      })
    }
    const output = jsonItems(jsonMember(last.value.response, 'output')).filter(isObject)
    const status = last.type === 'response.completed' ? 'completed' : 'incomplete'
    if (this.#items.length === 0) for (const value of output) this.#addWhole(value)
    for (const item of this.#items) {
      if (!item.isOpen) continue
      const same = output[item.index]
      const isSame = same !== undefined && same.type === item.value.type
      this.#close(item, isSame ? same : this.#partial(item, status))
    }
    return {
      response: stored => objectIn(this.#lastData(stored)).response as JsonObject,
      items: this.#items.map(({ value }) => value),
    }
  }

  /** Sends the last event, after `finish`. */
  writeEnd(stored: boolean): void {
    const { type } = this.#last!
    const data = this.#lastData(stored)
    this.#write(type, data, objectIn(data), [])
  }

  /** Closes all open items of an answer that broke. */
  interrupt(): void {
    for (const item of this.#items) {
      if (item.isOpen) this.#close(item, this.#partial(item, 'incomplete'))
    }
  }

  #lastData(stored: boolean): string {
    const { data, value } = this.#last!
    const { identity, body } = this.#options
    const edits = [...responseEdits(value.response, ['response'], { identity, body, stored })]
    const output = jsonItems(jsonMember(value.response, 'output'))
    const isSame =
      output.length === this.#items.length &&
      output.every((item, at) => jsonMember(item, 'type') === this.#items[at]!.value.type)
    if (!isSame) edits.push({ path: ['response', 'output'], value: this.values })
    else {
      for (const [at, { id }] of this.#items.entries()) {
        if (jsonMember(output[at], 'id') !== id)
          edits.push({ path: ['response', 'output', at, 'id'], value: id })
      }
      if (!this.#showsSecrets) edits.push(...secretEdits(output, ['response', 'output']))
    }
    edits.push(...outputTextEdits(value.response, isSame ? output : this.values, ['response']))
    return spliceJson(data, edits)
  }

  #add(data: string, value: JsonObject): void {
    const { item: added, output_index: vendorIndex } = value
    if (!isObject(added) || this.#byIndex.has(vendorIndex)) return
    const item = this.#newItem(added, vendorIndex)
    this.#write('response.output_item.added', data, value, this.#itemEdits(value, item))
  }

  #end(data: string, value: JsonObject): void {
    const { item: ended, output_index: vendorIndex } = value
    if (!isObject(ended)) return
    let item = this.#byIndex.get(vendorIndex)
    if (item === undefined) {
      item = this.#newItem(ended, vendorIndex)
      this.#writeAdded(item, emptyItem(item.value))
      this.#writeContent(item, ended)
    }
    if (!item.isOpen) return
    this.#endParts(item)
    item.isOpen = false
    item.value = { ...ended, id: item.id }
    this.#write('response.output_item.done', data, value, this.#itemEdits(value, item))
  }

  #itemEdits(value: JsonObject, { id, index }: PassedItem): BodyEdit[] {
    const edits: BodyEdit[] = []
    if (value.output_index !== index) edits.push({ path: ['output_index'], value: index })
    if (jsonMember(value.item, 'id') !== id) edits.push({ path: ['item', 'id'], value: id })
    if (!this.#showsSecrets && hasSecret(value.item))
      edits.push({ path: ['item', 'encrypted_content'], value: undefined })
    return edits
  }

  #pushToItem(given: string, data: string, value: JsonObject): void {
    const type = given.replace('response.reasoning_part.', 'response.content_part.')
    const name = type.slice(0, type.lastIndexOf('.'))
    const partType = Object.hasOwn(partTypes, name) ? partTypes[name] : partTypeOf(name, value)
    let item = this.#byIndex.get(value.output_index)
    if (item === undefined) {
      // Without its beginning a call has no name: all of it comes with its end.
      if (partType === undefined) return
      const kind = partType === 'output_text' || partType === 'refusal' ? 'message' : 'reasoning'
      const id = typeof value.item_id === 'string' ? { id: value.item_id } : {}
      item = this.#newItem(emptyItem({ ...id, type: kind }), value.output_index)
      this.#writeAdded(item, item.value)
    }
    if (!item.isOpen) return
    const edits: BodyEdit[] = []
    if (partType !== undefined) {
      const index = this.#followPart(type, partType, item, value)
      const name = partType === 'summary_text' ? 'summary_index' : 'content_index'
      if (value[name] !== index) edits.push({ path: [name], value: index })
    } else if (typeof value.delta === 'string') item.input += value.delta
    if (value.item_id !== item.id) edits.push({ path: ['item_id'], value: item.id })
    if (value.output_index !== item.index) edits.push({ path: ['output_index'], value: item.index })
    this.#write(type, data, value, edits)
  }

  /** Follows a part of an item, and begins it if the vendor did not. Returns its index among the parts of one list. */
  #followPart(type: string, partType: PartType, item: PassedItem, value: JsonObject): number {
    const list = partType === 'summary_text' ? 'summary' : 'content'
    const key = `${list}:${partIndex(value)}`
    let part = item.parts.get(key)
    if (part === undefined) {
      const ofList = [...item.parts.keys()].filter(each => each.startsWith(list))
      part = new TextPart(partType, item.id, item.index, ofList.length)
      item.parts.set(key, part)
      if (!type.endsWith('part.added')) part.writeAdded(this.#options.events)
    }
    if (type.endsWith('part.done')) part.isOpen = false
    else if (type.endsWith('.annotation.added')) {
      if (isObject(value.annotation)) part.annotations.push(value.annotation)
    } else if (type.endsWith('.delta') && typeof value.delta === 'string') part.text += value.delta
    return part.index
  }

  #newItem(given: JsonObject, vendorIndex: JsonValue | undefined): PassedItem {
    if (this.#items.length === maxItems) {
      throw new UpstreamError(`The upstream sent more than ${maxItems} items.`, { kind: 'garbled' })
    }
    const { id: vendorId, type } = given
    const isFree = typeof vendorId === 'string' && vendorId !== '' && !this.#ids.has(vendorId)
    const prefix = typeof type === 'string' && Object.hasOwn(idPrefixes, type) ? idPrefixes[type] : 'item'
    const id = isFree ? vendorId : `${prefix}_${this.#options.newId().replaceAll('-', '')}`
    this.#ids.add(id)
    const index = this.#items.length
    const item = { id, index, value: { ...given, id }, isOpen: true, parts: new Map(), input: '' }
    this.#items.push(item)
    this.#byIndex.set(vendorIndex, item)
    return item
  }

  /** Sends an item that the vendor did not stream. */
  #addWhole(value: JsonObject): void {
    const item = this.#newItem(value, this.#items.length)
    this.#writeAdded(item, emptyItem(item.value))
    this.#writeContent(item, value)
    this.#close(item, value)
  }

  /** Streams what an item has that came at once: clients may read only deltas. */
  #writeContent({ id, index }: PassedItem, value: JsonObject): void {
    const { events } = this.#options
    for (const list of ['summary', 'content']) {
      for (const [at, part] of jsonItems(value[list]).entries()) {
        const type = jsonMember(part, 'type')
        if (!isPartType(type)) continue
        const text = jsonMember(part, type === 'refusal' ? 'refusal' : 'text')
        const streamed = new TextPart(type, id, index, at)
        streamed.writeAdded(events)
        if (typeof text === 'string' && text !== '') streamed.append(text, [], events)
        streamed.close(events)
      }
    }
    const kind = String(value.type)
    if (!Object.hasOwn(inputEnds, kind)) return
    const { type, member } = inputEnds[kind]!
    const input = value[member]
    if (typeof input !== 'string') return
    events.writeDelta(type.replace(/done$/, 'delta'), headText(itemHead(id, index)), input)
    events.write(type, { ...itemHead(id, index), [member]: input })
  }

  #writeAdded({ index: output_index }: PassedItem, item: JsonObject): void {
    this.#options.events.write('response.output_item.added', { output_index, item: this.#shown(item) })
  }

  #close(item: PassedItem, value: JsonObject): void {
    this.#endParts(item)
    item.isOpen = false
    item.value = { ...value, id: item.id }
    const shown = this.#shown(item.value)
    this.#options.events.write('response.output_item.done', { output_index: item.index, item: shown })
  }

  #endParts(item: PassedItem): void {
    for (const part of item.parts.values()) part.close(this.#options.events)
  }

  /** Returns an item as far as it has come, and ends its input. */
  #partial(item: PassedItem, status: 'completed' | 'incomplete'): JsonObject {
    const { value, parts, input, id, index } = item
    const texts = [...parts].map(([key, part]) => ({ list: key.split(':')[0]!, value: part.value }))
    const listOf = (name: string) => texts.flatMap(({ list, value }) => (list === name ? [value] : []))
    const type = String(value.type)
    if (type === 'message') return { ...value, content: listOf('content'), status }
    if (type === 'reasoning') {
      const content = listOf('content')
      return { ...value, summary: listOf('summary'), ...(content.length > 0 && { content }), status }
    }
    if (!Object.hasOwn(inputEnds, type)) return { ...value, status }
    const end = inputEnds[type]!
    this.#options.events.write(end.type, { ...itemHead(id, index), [end.member]: input })
    return { ...value, [end.member]: input, status }
  }

  #shown(value: JsonObject): JsonObject {
    if (this.#showsSecrets || !hasSecret(value)) return value
    const { encrypted_content: _, ...shown } = value
    return shown
  }

  #write(type: string, data: string, value: JsonObject, given: readonly BodyEdit[]): void {
    const { events } = this.#options
    const edits = [...given]
    if (value.sequence_number !== events.sequence) {
      edits.push({ path: ['sequence_number'], value: events.sequence })
    }
    if (value.type !== type) edits.push({ path: ['type'], value: type })
    events.writeNumbered(type, spliceJson(data, edits))
  }
}

/** Returns what differs in a response of the gateway from that of a vendor. */
function responseEdits(
  value: JsonValue | undefined,
  path: readonly string[],
  { identity, body, stored = false }: Pick<PassedStreamOptions, 'identity' | 'body'> & { stored?: boolean },
): readonly BodyEdit[] {
  const members: JsonObject = {
    id: identity.id,
    model: identity.model,
    store: stored,
    ...(runsInBackground(body) && { background: true }),
    previous_response_id: jsonMember(body, 'previous_response_id') ?? null,
  }
  return Object.entries(members)
    .filter(([name, member]) => jsonMember(value, name) !== member)
    .map(([name, member]) => ({ path: [...path, name], value: member }))
}

/** Removes reasoning that the caller did not ask for. */
function secretEdits(output: JsonValue | undefined, path: readonly string[]): readonly BodyEdit[] {
  return jsonItems(output).flatMap((item, at) =>
    hasSecret(item) ? [{ path: [...path, at, 'encrypted_content'], value: undefined }] : [],
  )
}

/** Clients put `output_text` together themselves, but not where a vendor has sent one: it is removed if it is not the text. */
function outputTextEdits(
  value: JsonValue | undefined,
  output: readonly JsonValue[],
  path: readonly string[],
): readonly BodyEdit[] {
  const given = jsonMember(value, 'output_text')
  if (given === undefined) return []
  const text = output
    .filter(item => jsonMember(item, 'type') === 'message')
    .flatMap(item => jsonItems(jsonMember(item, 'content')))
    .map(part => (jsonMember(part, 'type') === 'output_text' ? jsonMember(part, 'text') : ''))
    .join('')
  return given === text ? [] : [{ path: [...path, 'output_text'], value: undefined }]
}

function hasSecret(item: JsonValue | undefined): boolean {
  return (
    jsonMember(item, 'type') === 'reasoning' &&
    (jsonMember(item, 'encrypted_content') ?? undefined) !== undefined
  )
}

/** Returns an item at its beginning. */
function emptyItem(item: JsonObject): JsonObject {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', role: 'assistant', content: [] }
    case 'reasoning': {
      const { content: _, ...rest } = item
      return { ...rest, summary: [] }
    }
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' }
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' }
    default:
      return item
  }
}

/** Returns the type of a part that an event begins or ends, or adds an annotation to. */
function partTypeOf(name: string, { part }: JsonObject): PartType | undefined {
  switch (name) {
    case 'response.output_text.annotation':
      return 'output_text'
    case 'response.reasoning_summary_part':
      return 'summary_text'
    case 'response.content_part': {
      const type = jsonMember(part, 'type')
      return type === 'refusal' || type === 'reasoning_text' ? type : 'output_text'
    }
    default:
      return undefined
  }
}

function isPartType(type: JsonValue | undefined): type is PartType {
  return Object.values(partTypes).some(each => each === type)
}

function partIndex({ content_index: content, summary_index: summary }: JsonObject): number {
  const index = content ?? summary
  return typeof index === 'number' ? index : 0
}

function objectIn(data: string): JsonObject {
  const value = JSON.parse(data) as JsonValue
  return isObject(value) ? value : {}
}

/** Servers that send no names of events have them in the data. */
function typeOf({ event }: NativeEvent, value: JsonObject): string {
  const isNamed = event !== undefined && event !== '' && event !== 'message'
  if (isNamed) return event
  return typeof value.type === 'string' ? value.type : 'message'
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
