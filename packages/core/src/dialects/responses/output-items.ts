import { UpstreamError } from '../../errors/upstream-error.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { CustomInputReader } from './custom-input.ts'
import { headText, itemHead, type ResponseEvents } from './events.ts'
import type { NamedTool } from './tool-names.ts'

/** The status of an item. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** A part of a message or of reasoning: the names of its events and members. */
const partForms = {
  output_text: {
    index: 'content_index',
    member: 'text',
    text: 'response.output_text',
    part: 'response.content_part',
  },
  refusal: {
    index: 'content_index',
    member: 'refusal',
    text: 'response.refusal',
    part: 'response.content_part',
  },
  reasoning_text: {
    index: 'content_index',
    member: 'text',
    text: 'response.reasoning_text',
    part: 'response.content_part',
  },
  summary_text: {
    index: 'summary_index',
    member: 'text',
    text: 'response.reasoning_summary_text',
    part: 'response.reasoning_summary_part',
  },
} as const

/** The type of a part that is streamed as text. */
export type PartType = keyof typeof partForms

/** Maximum text of one answer that is collected for its end, in UTF-16 code units. */
const maxText = 33_554_432

/** Throws `UpstreamError` of kind `garbled` for an answer that is too long. */
export function checkTextSize(size: number): void {
  if (size <= maxText) return
  throw new UpstreamError('The upstream sent more text than an answer may have.', { kind: 'garbled' })
}

/** A text within an item, which is streamed. */
export class TextPart {
  readonly type: PartType
  text = ''
  readonly annotations: JsonObject[] = []
  readonly logprobs: JsonValue[] = []
  isOpen = true
  /** Whether the end of its text was sent: only that of the part is left. */
  hasText = false
  /** Among the parts of its item that have one list. */
  readonly index: number
  readonly #members: JsonObject
  readonly #head: string

  constructor(type: PartType, itemId: string, outputIndex: number, index: number) {
    this.type = type
    this.index = index
    this.#members = { ...itemHead(itemId, outputIndex), [partForms[type].index]: index }
    this.#head = headText(this.#members)
  }

  get value(): JsonObject {
    const { type, text, annotations, logprobs } = this
    return type === 'output_text'
      ? { type, text, annotations, logprobs }
      : { type, [partForms[type].member]: text }
  }

  writeAdded(events: ResponseEvents): void {
    events.write(`${partForms[this.type].part}.added`, { ...this.#members, part: this.value })
  }

  append(text: string, logprobs: readonly JsonValue[], events: ResponseEvents): void {
    this.text += text
    for (const each of logprobs) this.logprobs.push(each)
    const tail = this.type === 'output_text' ? logprobs : undefined
    events.writeDelta(`${partForms[this.type].text}.delta`, this.#head, text, tail)
  }

  annotate(annotation: JsonObject, events: ResponseEvents): void {
    const annotation_index = this.annotations.length
    this.annotations.push(annotation)
    events.write('response.output_text.annotation.added', { ...this.#members, annotation_index, annotation })
  }

  close(events: ResponseEvents): void {
    if (!this.isOpen) return
    this.endText(events)
    this.isOpen = false
    events.write(`${partForms[this.type].part}.done`, { ...this.#members, part: this.value })
  }

  endText(events: ResponseEvents): void {
    if (this.hasText) return
    this.hasText = true
    const form = partForms[this.type]
    const logprobs = this.type === 'output_text' ? { logprobs: this.logprobs } : undefined
    events.write(`${form.text}.done`, { ...this.#members, [form.member]: this.text, ...logprobs })
  }
}

/** An item of the output of a response. */
export abstract class OutputItem {
  readonly id: string
  readonly index: number
  status: ItemStatus = 'in_progress'

  constructor(id: string, index: number) {
    this.id = id
    this.index = index
  }

  get isOpen(): boolean {
    return this.status === 'in_progress'
  }

  abstract readonly value: JsonObject

  open(events: ResponseEvents): void {
    events.write('response.output_item.added', { output_index: this.index, item: this.value })
  }

  /** Ends the item. An incomplete one may have anything in it. */
  close(status: 'completed' | 'incomplete', events: ResponseEvents): void {
    if (!this.isOpen) return
    this.finish(status, events)
    this.status = status
    events.write('response.output_item.done', { output_index: this.index, item: this.value })
  }

  /** Writes what precedes the end of the item. */
  protected abstract finish(status: 'completed' | 'incomplete', events: ResponseEvents): void
}

/** A message, or reasoning: texts, one after the other. */
abstract class TextItem extends OutputItem {
  readonly parts: TextPart[] = []

  /** The last part, if it is of a type. */
  lastPart(type: PartType): TextPart | undefined {
    const last = this.parts.at(-1)
    return last?.type === type ? last : undefined
  }

  append(type: PartType, text: string, logprobs: readonly JsonValue[], events: ResponseEvents): void {
    let part = this.lastPart(type)
    if (part === undefined) {
      this.parts.at(-1)?.close(events)
      part = new TextPart(type, this.id, this.index, this.parts.length)
      this.parts.push(part)
      part.writeAdded(events)
    }
    part.append(text, logprobs, events)
  }

  protected override finish(_status: ItemStatus, events: ResponseEvents): void {
    this.parts.at(-1)?.close(events)
  }

  protected values(): readonly JsonObject[] {
    return this.parts.map(({ value }) => value)
  }
}

/** A message of the assistant. */
export class MessageItem extends TextItem {
  override get value(): JsonObject {
    const { id, status } = this
    return { id, type: 'message', status, role: 'assistant', content: this.values() }
  }
}

/** What the model thought, as text or as what only its vendor can read. All its parts are of one type. */
export class ReasoningItem extends TextItem {
  /** What the vendor wants back. */
  sealed: string | undefined
  /** Whether the client gets `sealed`. */
  readonly #shows: boolean

  constructor(id: string, index: number, shows: boolean) {
    super(id, index)
    this.#shows = shows
  }

  override get value(): JsonObject {
    return this.#valueWith(this.#shows ? this.sealed : undefined)
  }

  /** With `sealed`, for the next request. */
  get storedValue(): JsonObject {
    return this.#valueWith(this.sealed)
  }

  #valueWith(sealed: string | undefined): JsonObject {
    const hasSummary = this.lastPart('summary_text') !== undefined
    const hasContent = this.lastPart('reasoning_text') !== undefined
    return {
      id: this.id,
      type: 'reasoning',
      summary: hasSummary ? this.values() : [],
      ...(hasContent && { content: this.values() }),
      ...(sealed !== undefined && { encrypted_content: sealed }),
      ...(this.status === 'incomplete' && { status: this.status }),
    }
  }
}

/** How the ids of calls begin. */
const callPrefixes: Readonly<Record<NamedTool['kind'], string>> = {
  function: 'fc',
  custom: 'ctc',
  tool_search: 'tsc',
  local_shell: 'lsh',
  shell: 'sh',
  apply_patch: 'apc',
}

/** Returns how the id of a call begins. */
export function callPrefix(kind: NamedTool['kind']): string {
  return callPrefixes[kind]
}

/** A call of a tool, in the item type of that tool. */
export class CallItem extends OutputItem {
  readonly callId: string
  readonly #tool: NamedTool
  /** The arguments as the vendor wrote them, or the input of a custom tool. */
  #text = ''
  #object: JsonObject = {}
  /** Of a custom tool that the vendor calls as a function. */
  readonly #reader: CustomInputReader | undefined
  readonly #head: string

  /** @param asFunction - whether the vendor calls it as a function. */
  constructor(id: string, index: number, callId: string, tool: NamedTool, asFunction: boolean) {
    super(id, index)
    this.callId = callId
    this.#tool = tool
    if (tool.kind === 'custom' && asFunction) this.#reader = new CustomInputReader()
    this.#head = headText(itemHead(id, index))
  }

  override get value(): JsonObject {
    const { id, callId: call_id, status } = this
    const { kind, name, namespace } = this.#tool
    const named = { call_id, name, ...(namespace !== undefined && { namespace }) }
    switch (kind) {
      case 'function':
        return { id, type: 'function_call', ...named, arguments: this.#text, status }
      case 'custom':
        return { id, type: 'custom_tool_call', ...named, input: this.#text, status }
      case 'tool_search':
        return { id, type: 'tool_search_call', call_id, execution: 'client', arguments: this.#object, status }
      case 'local_shell': {
        const action = { command: [], env: {}, ...this.#object, type: 'exec' }
        return { id, type: 'local_shell_call', call_id, action, status }
      }
      case 'shell': {
        const action = { commands: [], timeout_ms: null, max_output_length: null, ...this.#object }
        return { id, type: 'shell_call', call_id, action, environment: null, status }
      }
      default:
        return { id, type: 'apply_patch_call', call_id, operation: this.#object, status }
    }
  }

  append(piece: string, events: ResponseEvents): void {
    const text = this.#reader === undefined ? piece : this.#reader.push(piece)
    this.#add(text, events)
  }

  /** @throws UpstreamError of kind `garbled` for complete arguments that are no object where the item has an object. */
  protected override finish(status: 'completed' | 'incomplete', events: ResponseEvents): void {
    const wasCut = status === 'incomplete'
    const { kind, name } = this.#tool
    if (this.#reader !== undefined) this.#add(this.#reader.end(wasCut), events)
    const members = itemHead(this.id, this.index)
    if (kind === 'function') {
      if (this.#text === '') this.#add('{}', events)
      events.write('response.function_call_arguments.done', { ...members, name, arguments: this.#text })
    } else if (kind === 'custom') {
      events.write('response.custom_tool_call_input.done', { ...members, input: this.#text })
    } else this.#object = objectIn(this.#text, wasCut)
  }

  #add(text: string, events: ResponseEvents): void {
    if (text === '') return
    this.#text += text
    const { kind } = this.#tool
    if (kind === 'function') events.writeDelta('response.function_call_arguments.delta', this.#head, text)
    if (kind === 'custom') events.writeDelta('response.custom_tool_call_input.delta', this.#head, text)
  }
}

function objectIn(text: string, wasCut: boolean): JsonObject {
  try {
    const value: JsonValue = JSON.parse(text) as JsonValue
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {}
  if (wasCut || text.trim() === '') return {}
  throw new UpstreamError('The upstream called a tool with arguments that are no JSON object.', {
    kind: 'garbled',
  })
}
