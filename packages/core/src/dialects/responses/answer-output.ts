import type { AnswerDelta, AnswerIdentity } from '../../contracts/dialect.ts'
import type { Adjustment } from '../../contracts/provider.ts'
import type { GenerateRequest } from '../../conversation/generate-request.ts'
import { sealReasoning } from '../../conversation/sealed-reasoning.ts'
import type { FinishReason, JsonObject, JsonValue, ToolCallDelta } from '../../protocol/chat.ts'
import { jsonItems, jsonMember } from '../../protocol/json-members.ts'
import type { ResponseEvents } from './events.ts'
import {
  CallItem,
  callPrefix,
  checkTextSize,
  MessageItem,
  type OutputItem,
  ReasoningItem,
  type TextPart,
} from './output-items.ts'
import { asksForReasoning, asksForSummary, type ResponseState } from './response-object.ts'
import type { NamedTool, ToolNames } from './tool-names.ts'

/** What the answer to a request depends on. */
export interface AnsweredRequest extends Pick<GenerateRequest, 'body'> {
  readonly toolNames?: ToolNames
}

/** How the output of an answer ended. */
export type OutputEnd = Pick<ResponseState, 'status' | 'reason'>

/** What is reported of citations that are no links, or that came too late. */
export const lostCitations: Adjustment = {
  parameter: 'output.annotations',
  action: 'dropped',
  detail: 'this API has no form for these citations of this model',
}

/** Converts what vendors send to the items of a response, in the order in which they send it. */
export class AnswerOutput {
  readonly #identity: Pick<AnswerIdentity, 'realm' | 'adjusted'>
  readonly #request: AnsweredRequest
  readonly #newId: () => string
  readonly #events: ResponseEvents
  /** Whether annotations may still be added to a message that has ended: nobody has it yet. */
  readonly #isStream: boolean
  /** All items, those that only the next request needs among them. */
  readonly #items: OutputItem[] = []
  #visible = 0
  #reasoning: ReasoningItem | undefined
  #message: MessageItem | undefined
  #lastText: TextPart | undefined
  readonly #calls = new Map<number, CallItem>()
  #callIds: Set<string> | undefined
  /** What vendors want back, and no item has yet. */
  #details: JsonObject[] = []
  readonly #extras = new Map<string, JsonObject>()
  /** Whether each block of reasoning is sealed when it ends: then the details at the end repeat them. */
  #isSealedAtItsEnd = false
  readonly #showsSealed: boolean
  #showsSummary: boolean
  #refused = false
  #lostCitations = false
  #finish: FinishReason | null = null
  #size = 0

  constructor(
    identity: Pick<AnswerIdentity, 'realm' | 'adjusted'>,
    request: AnsweredRequest,
    newId: () => string,
    events: ResponseEvents,
    isStream: boolean,
  ) {
    this.#identity = identity
    this.#request = request
    this.#newId = newId
    this.#events = events
    this.#isStream = isStream
    this.#showsSealed = asksForReasoning(request.body)
    this.#showsSummary = asksForSummary(request.body)
  }

  /** The items so far, as the client gets them. */
  get values(): readonly JsonObject[] {
    return this.#items.filter(({ index }) => index !== -1).map(({ value }) => value)
  }

  /** The items so far, with the reasoning that the client did not ask for. */
  get storedValues(): readonly JsonObject[] {
    return this.#items.map(item => (item instanceof ReasoningItem ? item.storedValue : item.value))
  }

  add({ delta, logprobs, finish }: AnswerDelta): void {
    const { content, refusal, reasoning_content: thought, reasoning_details: details } = delta
    if (details?.some(({ type }) => type === 'reasoning.summary')) this.#showsSummary = true
    if (thought) this.#addThought(thought)
    if (delta.ended_reasoning !== undefined) {
      this.#isSealedAtItsEnd = true
      this.#addDetail(delta.ended_reasoning)
      this.#endReasoning()
    }
    if (details !== undefined && !this.#isSealedAtItsEnd) for (const each of details) this.#addDetail(each)
    if (content)
      this.#addText(
        'output_text',
        content,
        (logprobs?.content ?? []) as readonly unknown[] as readonly JsonValue[],
      )
    if (refusal) {
      this.#refused = true
      this.#addText('refusal', refusal, [])
    }
    for (const annotation of delta.annotations ?? []) this.#annotate(annotation)
    if ((delta.citations?.length ?? 0) > 0) this.#lostCitations = true
    for (const call of (delta.tool_calls ?? []) as readonly ToolCallDelta[]) this.#addCall(call)
    if (delta.function_call !== undefined) this.#addCall({ index: -1, function: delta.function_call })
    if (finish !== null) this.#finish = finish
  }

  /**
   * Closes all items. Returns how the answer ended.
   *
   * @throws UpstreamError of kind `garbled` for a call whose arguments are no JSON object where the item has an object.
   */
  end(): OutputEnd {
    const end = this.#outputEnd()
    const wasCut = end.status === 'incomplete'
    // What a cut answer wants back is worth nothing, and its last item is the one that was cut.
    if (!wasCut) this.#endReasoning()
    const last = this.#items.findLast(({ index }) => index === this.#visible - 1)
    for (const item of this.#items)
      item.close(wasCut && item === last ? 'incomplete' : 'completed', this.#events)
    if (this.#lostCitations) this.#identity.adjusted?.(lostCitations)
    return end
  }

  /** Closes all open items of an answer that broke. */
  interrupt(): void {
    for (const item of this.#items) item.close('incomplete', this.#events)
  }

  #outputEnd(): OutputEnd {
    if (this.#finish === 'length') return { status: 'incomplete', reason: 'max_output_tokens' }
    if (this.#finish === 'content_filter' && !this.#refused)
      return { status: 'incomplete', reason: 'content_filter' }
    return { status: 'completed' }
  }

  #grow(size: number): void {
    this.#size += size
    checkTextSize(this.#size)
  }

  #addThought(text: string): void {
    this.#grow(text.length)
    this.#endMessage()
    this.#reasoning ??= this.#begin(new ReasoningItem(this.#id('rs'), this.#visible, this.#showsSealed))
    const type = this.#reasoning.parts[0]?.type ?? (this.#showsSummary ? 'summary_text' : 'reasoning_text')
    this.#reasoning.append(type, text, [], this.#events)
  }

  #addDetail(detail: JsonObject): void {
    this.#grow(JSON.stringify(detail).length)
    this.#details.push(detail)
  }

  #addText(type: 'output_text' | 'refusal', text: string, logprobs: readonly JsonValue[]): void {
    this.#grow(text.length)
    // What came since the message began waits for its end.
    if (this.#message === undefined) this.#endReasoning()
    this.#message ??= this.#begin(new MessageItem(this.#id('msg'), this.#visible))
    this.#message.append(type, text, logprobs, this.#events)
    this.#lastText = this.#message.lastPart('output_text') ?? this.#lastText
  }

  #annotate(annotation: JsonObject): void {
    const link = jsonMember(annotation, 'url_citation')
    const part = this.#lastText
    const isLate = this.#isStream && part?.isOpen !== true
    if (typeof link !== 'object' || link === null || part === undefined || isLate) {
      this.#lostCitations = true
      return
    }
    const { start_index = 0, end_index = 0, url = '', title = '' } = link as JsonObject
    part.annotate({ type: 'url_citation', start_index, end_index, url, title }, this.#events)
  }

  #addCall({ index, id, function: called, custom, extra_content: extra }: ToolCallDelta): void {
    let call = this.#calls.get(index)
    if (call !== undefined) {
      if (extra !== undefined) this.#extras.set(call.callId, extra)
    } else {
      const callId = this.#callId(id)
      if (extra !== undefined) this.#extras.set(callId, extra)
      this.#endMessage()
      this.#endReasoning()
      const tool = this.#toolOf((called ?? custom)?.name ?? '', custom !== undefined)
      const itemId = this.#id(callPrefix(tool.kind))
      call = this.#begin(new CallItem(itemId, this.#visible, callId, tool, custom === undefined))
      this.#calls.set(index, call)
    }
    const piece = called?.arguments ?? custom?.input
    if (!piece) return
    this.#grow(piece.length)
    call.append(piece, this.#events)
  }

  #toolOf(name: string, isCustom: boolean): NamedTool {
    const tool = this.#request.toolNames?.get(name) ?? { kind: 'function', name }
    return isCustom ? { ...tool, kind: 'custom' } : tool
  }

  /** Returns the vendor's id of a call, or another one if the conversation has it already. */
  #callId(given: string | undefined): string {
    this.#callIds ??= new Set(
      jsonItems(jsonMember(this.#request.body, 'input')).flatMap(item => {
        const id = jsonMember(item, 'call_id')
        return typeof id === 'string' ? [id] : []
      }),
    )
    const id =
      given === undefined || this.#callIds.has(given) ? `call_${this.#newId().replaceAll('-', '')}` : given
    this.#callIds.add(id)
    return id
  }

  #id(prefix: string): string {
    return `${prefix}_${this.#newId().replaceAll('-', '')}`
  }

  #begin<Item extends OutputItem>(item: Item): Item {
    this.#items.push(item)
    this.#visible++
    item.open(this.#events)
    return item
  }

  #endMessage(): void {
    this.#message?.close('completed', this.#events)
    this.#message = undefined
  }

  /** Ends reasoning, with what vendors want back. Without text it is an item of its own. */
  #endReasoning(): void {
    // Who keeps the conversation as items sends those that it was shown, and a call may need what came with it.
    const isShown = this.#showsSealed || this.#extras.size > 0
    const sealed = this.#seal()
    const open = this.#reasoning
    this.#reasoning = undefined
    if (open !== undefined) {
      open.sealed = sealed
      open.close('completed', this.#events)
      return
    }
    if (sealed === undefined) return
    if (isShown) {
      this.#endMessage()
      const item = this.#begin(new ReasoningItem(this.#id('rs'), this.#visible, this.#showsSealed))
      item.sealed = sealed
      item.close('completed', this.#events)
      return
    }
    const hidden = new ReasoningItem(this.#id('rs'), -1, false)
    hidden.sealed = sealed
    hidden.status = 'completed'
    this.#items.push(hidden)
  }

  #seal(): string | undefined {
    if (this.#details.length === 0 && this.#extras.size === 0) return undefined
    const realm = this.#identity.realm?.()
    const sealed = sealReasoning({ realm, details: this.#details, calls: this.#extras })
    if (sealed === undefined) return undefined
    this.#details = []
    this.#extras.clear()
    return sealed
  }
}
