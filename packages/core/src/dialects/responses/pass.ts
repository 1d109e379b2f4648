import type { AnswerIdentity, FinishedResponse } from '../../contracts/dialect.ts'
import type { NativeEvent } from '../../contracts/provider.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import type { BodyEdit } from '../../protocol/body-edit.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import { spliceJson } from '../../protocol/splice-json.ts'
import { costEdits } from '../../protocol/usage-cost.ts'
import { headText, itemHead, type ResponseEventWriter } from './events.ts'
import { checkTextSize, type PartType, TextPart } from './output-items.ts'
import { asksForReasoning, runsInBackground } from './response-object.ts'

type PassedIdentity = Pick<AnswerIdentity, 'id' | 'model' | 'cost'>

/** What a passed stream needs. */
export interface PassedStreamOptions {
  readonly identity: PassedIdentity
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
  hasInput: boolean
}

/** The part that an event is about, by the name of the event up to its last dot. */
const partTypes: Readonly<Record<string, PartType>> = {
  'response.output_text': 'output_text',
  'response.refusal': 'refusal',
  'response.reasoning_text': 'reasoning_text',
  'response.reasoning_summary_text': 'summary_text',
}

/** The list of an item that has a part. */
type PartList = 'summary' | 'content'

/** The event that ends the input of a call, and the member of the input. */
interface InputEnd {
  readonly type: string
  readonly member: string
}

const inputEnds: Readonly<Record<string, InputEnd>> = {
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
export function passResponse(native: string, identity: PassedIdentity, body: JsonObject): string {
  return finishPassedResponse(native, identity, body).text(false)
}

/** Returns the response of a vendor of the protocol, which may be stored before it is sent. */
export function finishPassedResponse(
  native: string,
  identity: PassedIdentity,
  body: JsonObject,
): FinishedResponse & { text(stored: boolean): string } {
  const value = JSON.parse(native) as JsonObject
  const text = (stored: boolean) =>
    spliceJson(native, [
      ...responseEdits(value, [], { identity, body, stored }),
      ...(asksForReasoning(body) ? [] : secretEdits(jsonMember(value, 'output'), ['output'])),
      ...outputTextEdits(value, jsonItems(value.output), []),
      ...costEdits(value, ['usage'], identity),
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
  #lastIndex: JsonValue | undefined
  /** Whether items began in the order in which the vendor numbers them. */
  #isOrdered = true
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
    const others = this.#notStreamed(output)
    // They follow those that were streamed.
    if (others.length > 0 && this.#items.length > 0) this.#isOrdered = false
    for (const value of others) this.#addWhole(value)
    for (const item of this.#items) {
      if (!item.isOpen) continue
      const same = this.#isOrdered ? output[item.index] : undefined
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
      this.#isOrdered &&
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
    edits.push(...costEdits(value, ['response', 'usage'], identity))
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
    }
    if (!item.isOpen) return
    this.#complete(item, ended)
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
      if (index === undefined) return
      const name = partType === 'summary_text' ? 'summary_index' : 'content_index'
      if (value[name] !== index) edits.push({ path: [name], value: index })
    } else if (!this.#followInput(type, item, value)) return
    if (value.item_id !== item.id) edits.push({ path: ['item_id'], value: item.id })
    if (value.output_index !== item.index) edits.push({ path: ['output_index'], value: item.index })
    this.#write(type, data, value, edits)
  }

  /**
   * Follows a part of an item, and sends what the vendor has left out before this event. Returns its index among the parts of one
   * list; `undefined` if the event comes too late.
   */
  #followPart(type: string, partType: PartType, item: PassedItem, value: JsonObject): number | undefined {
    const { events } = this.#options
    const key = `${listOf(partType)}:${partIndex(value)}`
    const known = item.parts.get(key)
    const isAdded = type.endsWith('part.added')
    if (known !== undefined && (isAdded || !known.isOpen)) return undefined
    const part = known ?? newPart(item, partType, key)
    if (known === undefined && !isAdded) part.writeAdded(events)
    if (isAdded) return part.index
    if (type.endsWith('.annotation.added')) {
      if (isObject(value.annotation)) part.annotations.push(value.annotation)
    } else if (type.endsWith('part.done')) {
      appendRest(part, jsonMember(value.part, textMember(partType)), events)
      part.endText(events)
      part.isOpen = false
    } else if (part.hasText) return undefined
    else if (type.endsWith('.done')) {
      appendRest(part, value[textMember(partType)], events)
      part.hasText = true
    } else if (typeof value.delta === 'string') part.text += value.delta
    return part.index
  }

  /** Follows the input of a call. Returns whether the event is sent: one after the end of the input is not. */
  #followInput(type: string, item: PassedItem, { delta, ...value }: JsonObject): boolean {
    const end = inputEndOf(item.value)
    if (end === undefined || !type.startsWith(end.type.slice(0, -'done'.length))) return true
    if (item.hasInput) return false
    if (type === end.type) {
      this.#appendInput(item, end, value[end.member])
      item.hasInput = true
    } else if (typeof delta === 'string') item.input += delta
    return true
  }

  /** Sends what the deltas of an input have left out. */
  #appendInput(item: PassedItem, end: InputEnd, input: JsonValue | undefined): void {
    const rest = restOf(item.input, input)
    if (rest === '') return
    item.input += rest
    const type = end.type.replace(/done$/, 'delta')
    this.#options.events.writeDelta(type, headText(itemHead(item.id, item.index)), rest)
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
    const item = {
      id,
      index,
      value: { ...given, id },
      isOpen: true,
      parts: new Map(),
      input: '',
      hasInput: false,
    }
    this.#items.push(item)
    this.#byIndex.set(vendorIndex, item)
    const last = this.#lastIndex
    if (typeof last === 'number' && typeof vendorIndex === 'number' && vendorIndex < last)
      this.#isOrdered = false
    this.#lastIndex = vendorIndex
    return item
  }

  /** Returns the items of the last event that no other event was about. */
  #notStreamed(output: readonly JsonObject[]): readonly JsonObject[] {
    const ids = new Set(output.map(({ id }) => id))
    if (ids.size === output.length && this.#items.every(({ id }) => ids.has(id)))
      return output.filter(({ id }) => !this.#ids.has(id as string))
    const isOwn = ({ type }: JsonObject, at: number) => this.#byIndex.get(at)?.value.type === type
    if (output.filter(isOwn).length === this.#items.length)
      return output.filter((each, at) => !isOwn(each, at))
    // The vendor numbers them in another way.
    let next = 0
    const others = output.filter(({ type }) => {
      if (type !== this.#items[next]?.value.type) return true
      next++
      return false
    })
    // Another order than that of the events tells nothing.
    return next === this.#items.length ? others : []
  }

  /** Sends an item that the vendor did not stream. */
  #addWhole(value: JsonObject): void {
    const item = this.#newItem(value, `whole ${this.#items.length}`)
    this.#writeAdded(item, emptyItem(item.value))
    this.#close(item, value)
  }

  /** Streams what an item has at its end and the vendor did not stream, since clients may read only deltas. Ends its parts. */
  #complete(item: PassedItem, value: JsonObject): void {
    const { events } = this.#options
    for (const list of ['summary', 'content'] as const) {
      for (const [at, given] of jsonItems(value[list]).entries()) {
        const type = jsonMember(given, 'type')
        if (!isPartType(type) || listOf(type) !== list) continue
        let part = partsOf(item, list)[at]
        if (part === undefined) {
          part = newPart(item, type, `${list} ${at}`)
          part.writeAdded(events)
        }
        if (part.type === type) appendRest(part, jsonMember(given, textMember(type)), events)
        part.close(events)
      }
    }
    for (const part of item.parts.values()) part.close(events)
    const end = inputEndOf(item.value)
    if (end === undefined || item.hasInput) return
    this.#appendInput(item, end, value[end.member])
    item.hasInput = true
    events.write(end.type, { ...itemHead(item.id, item.index), [end.member]: item.input })
  }

  #writeAdded({ index: output_index }: PassedItem, item: JsonObject): void {
    this.#options.events.write('response.output_item.added', { output_index, item: this.#shown(item) })
  }

  #close(item: PassedItem, value: JsonObject): void {
    this.#complete(item, value)
    item.isOpen = false
    item.value = { ...value, id: item.id }
    const shown = this.#shown(item.value)
    this.#options.events.write('response.output_item.done', { output_index: item.index, item: shown })
  }

  /** Returns an item as far as it has come. */
  #partial(item: PassedItem, status: 'completed' | 'incomplete'): JsonObject {
    const { value, input } = item
    const valuesOf = (list: PartList) => partsOf(item, list).map(part => part.value)
    if (value.type === 'message') return { ...value, content: valuesOf('content'), status }
    if (value.type === 'reasoning') {
      const content = valuesOf('content')
      return { ...value, summary: valuesOf('summary'), ...(content.length > 0 && { content }), status }
    }
    const end = inputEndOf(value)
    return end === undefined || input === ''
      ? { ...value, status }
      : { ...value, [end.member]: input, status }
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

function newPart(item: PassedItem, type: PartType, key: string): TextPart {
  const part = new TextPart(type, item.id, item.index, partsOf(item, listOf(type)).length)
  item.parts.set(key, part)
  return part
}

/** Returns the parts of one list of an item, in order. */
function partsOf({ parts }: PassedItem, list: PartList): readonly TextPart[] {
  return [...parts.values()].filter(({ type }) => listOf(type) === list)
}

function listOf(type: PartType): PartList {
  return type === 'summary_text' ? 'summary' : 'content'
}

function textMember(type: PartType): 'refusal' | 'text' {
  return type === 'refusal' ? 'refusal' : 'text'
}

/** Sends what the deltas of a text have left out. */
function appendRest(part: TextPart, text: JsonValue | undefined, events: ResponseEventWriter): void {
  const rest = part.hasText ? '' : restOf(part.text, text)
  if (rest !== '') part.append(rest, [], events)
}

/** Returns what a text has after its beginning; none for a text that begins in another way, which stays the word of its vendor. */
function restOf(beginning: string, text: JsonValue | undefined): string {
  return typeof text === 'string' && text.startsWith(beginning) ? text.slice(beginning.length) : ''
}

function inputEndOf({ type }: JsonObject): InputEnd | undefined {
  const name = String(type)
  return Object.hasOwn(inputEnds, name) ? inputEnds[name] : undefined
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
