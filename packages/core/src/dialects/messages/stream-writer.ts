import type {
  AnswerDelta,
  AnswerIdentity,
  AnswerOrigin,
  AnswerStreamWriter,
} from '../../contracts/dialect.ts'
import type { NativeEvent, PartialMessage, ProviderSpecificFields } from '../../contracts/provider.ts'
import type { GenerateRequest } from '../../conversation/generate-request.ts'
import { sealReasoning } from '../../conversation/sealed-reasoning.ts'
import type { GatewayError } from '../../errors/errors.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import type { CompletionUsage, FinishReason, JsonObject, ToolCallDelta } from '../../protocol/chat.ts'
import { replaceMember, stringMember } from '../../protocol/replace-member.ts'
import { withUsageCost } from '../../protocol/usage-cost.ts'
import { checkedInput, customCall, hasCitations, isOwn } from './answer-content.ts'
import { ArgumentsReader } from './arguments-reader.ts'
import { callIdsIn, writtenCallId } from './call-ids.ts'
import { messagesErrorEvent } from './error.ts'
import { lostCitations } from './losses.ts'
import { stopFields } from './stop-reason.ts'
import { longNamesIn } from './tool-names.ts'
import { estimatedMessageUsage, messageUsage } from './usage.ts'

/** A block of the answer, of which only the first that has not ended is sent. */
interface StreamBlock {
  readonly type: 'thinking' | 'redacted_thinking' | 'text' | 'tool_use'
  /** The id of a call, otherwise empty. */
  readonly id: string
  /** The name of the tool, otherwise empty. */
  readonly name: string
  /** The text of thinking, the input of a call, or encrypted data. Texts are not kept. */
  text: string
  signature: string
  /** What waits until the block is sent. */
  readonly waiting: string[]
  /** Of a call. */
  readonly reader: ArgumentsReader | undefined
}

/** Maximum text that waits or is collected until the end, in UTF-16 code units. */
const maxHeld = 8_388_608

/**
 * Writes a message as a stream of events. One block is open at a time: what belongs to a later one waits until the input of the
 * open call is complete, because vendors of other protocols send the pieces of several calls in turns.
 */
export class MessagesStreamWriter implements AnswerStreamWriter {
  readonly #identity: AnswerIdentity
  readonly #request: GenerateRequest
  #out = ''
  #open: StreamBlock | undefined
  /** Blocks after the open one, from `#next` on. */
  readonly #later: StreamBlock[] = []
  #next = 0
  /** The index of the open block, or -1 before the first. */
  #index = -1
  #held = 0
  readonly #calls = new Map<number, StreamBlock>()
  #earlierIds: ReadonlySet<string> | undefined
  #longNames: ReadonlyMap<string, string> | undefined
  /** What vendors want back, and what is not sent yet: with calls, and with thoughts. */
  readonly #extras = new Map<string, JsonObject>()
  #details: JsonObject[] = []
  /** Whether each block of reasoning is sealed when it ends: then the details at the end repeat them. */
  #isSealedAtItsEnd = false
  #refusal = ''
  #finish: FinishReason | null = null
  #fields: ProviderSpecificFields | undefined
  #hasCitations = false
  /** Whether the events of the vendor itself are sent. */
  #passes = false

  constructor(identity: AnswerIdentity, request: GenerateRequest) {
    this.#identity = identity
    this.#request = request
  }

  open(): string {
    const { id, model, promptTokens } = this.#identity
    const usage = estimatedMessageUsage(Math.max(1, promptTokens?.() ?? 1))
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: { ...usage, cache_creation: null, service_tier: 'standard' },
    }
    return eventText('message_start', { message })
  }

  pass(events: readonly NativeEvent[], opened: boolean): string {
    this.#passes = true
    let text = ''
    for (const event of events) text += this.#passed(event, opened)
    return text
  }

  push(deltas: readonly AnswerDelta[]): string {
    for (const delta of deltas) if (delta.index === 0) this.#add(delta)
    return this.#written()
  }

  end(deltas: readonly AnswerDelta[], _origin: AnswerOrigin, usage: CompletionUsage): string {
    if (this.#passes) return ''
    for (const delta of deltas) if (delta.index === 0) this.#add(delta)
    // A client takes the last block for the answer.
    if (this.#last?.type !== 'text') this.#seal()
    this.#advance(true)
    this.#close()
    const delta = stopFields({
      finish: this.#finish,
      called: this.#calls.size > 0,
      refusal: this.#refusal,
      fields: this.#fields,
      stop: this.#request.settings().stop,
    })
    if (this.#hasCitations) this.#identity.adjusted?.(lostCitations)
    this.#out += eventText('message_delta', { delta, usage: messageUsage(usage, this.#identity.cost?.()) })
    this.#out += eventText('message_stop', {})
    return this.#written()
  }

  fail(error: GatewayError): string {
    return messagesErrorEvent(error, this.#identity.requestId)
  }

  /** An error of the vendor is left out: the gateway ends the stream with its own. */
  #passed({ event, data }: NativeEvent, opened: boolean): string {
    const isNamed = event !== undefined && event !== '' && event !== 'message'
    const type = isNamed ? event : stringMember(data, ['type'])
    if (type === 'error') return ''
    if (type === 'message_delta') return nativeText(type, withUsageCost(data, ['usage'], this.#identity))
    if (type !== 'message_start') return nativeText(type, data)
    return opened ? '' : nativeText(type, replaceMember(data, ['message', 'model'], this.#identity.model))
  }

  #written(): string {
    const text = this.#out
    this.#out = ''
    return text
  }

  #add({ delta, finish, fields }: AnswerDelta): void {
    const { content, refusal, reasoning_content: thinking, function_call: legacy } = delta
    if (thinking) this.#addText('thinking', thinking)
    if (delta.ended_reasoning !== undefined) this.#endThought(delta.ended_reasoning)
    if (delta.reasoning_details !== undefined && !this.#isSealedAtItsEnd)
      this.#addDetails(delta.reasoning_details)
    if (content) this.#addText('text', content)
    if (refusal) {
      this.#refusal += refusal
      this.#addText('text', refusal)
    }
    if (delta.tool_calls !== undefined) this.#addCalls(delta.tool_calls)
    if (legacy !== undefined) this.#addCall({ index: -1, function: legacy })
    if (hasCitations(delta)) this.#hasCitations = true
    if (finish !== null) this.#finish = finish
    if (fields !== undefined) this.#fields = { ...this.#fields, ...fields }
  }

  #addText(type: 'thinking' | 'text', text: string): void {
    let block = this.#last
    if (block === undefined || block.type !== type || block.signature !== '') block = this.#begin(type)
    if (type === 'thinking') block.text += text
    this.#append(block, text)
  }

  /** The block that the vendor has sent last. */
  get #last(): StreamBlock | undefined {
    return this.#next < this.#later.length ? this.#later.at(-1) : this.#open
  }

  #addCalls(calls: NonNullable<PartialMessage['tool_calls']>): void {
    for (const call of calls as readonly ToolCallDelta[]) this.#addCall(call)
  }

  /** Returns the vendor's id of a call, or another one if the conversation has it already. */
  #callId(id: string | undefined, index: number): string {
    const made = `toolu_${this.#identity.id.slice(4)}`
    if (id === undefined) return made
    this.#earlierIds ??= callIdsIn(this.#request.body)
    return this.#earlierIds.has(id) ? `${made}_${index}` : id
  }

  /** Returns the caller's name of a tool. */
  #toolName(name: string): string {
    this.#longNames ??= longNamesIn(this.#request.body)
    return this.#longNames.get(name) ?? name
  }

  #addCall({ index, id, function: called, custom, extra_content: extra }: ToolCallDelta): void {
    if (custom !== undefined) throw customCall()
    let block = this.#calls.get(index)
    if (block === undefined) {
      const given = this.#callId(id, index)
      if (extra !== undefined) this.#extras.set(given, extra)
      block = this.#begin('tool_use', given, this.#toolName(called?.name ?? ''))
      this.#calls.set(index, block)
    } else if (extra !== undefined) this.#extras.set(block.id, extra)
    const piece = called?.arguments
    if (!piece) return
    const reader = block.reader!
    const hadEnded = reader.ended
    if (piece.slice(reader.push(piece)).trim() !== '') {
      throw new UpstreamError('The upstream continued the arguments of a call after their end.', {
        kind: 'garbled',
      })
    }
    // White space after its end, when the block may have been closed.
    if (hadEnded) return
    block.text += piece
    this.#append(block, piece)
  }

  /** Sends what a vendor wants back of a thought that has ended. */
  #endThought(detail: JsonObject): void {
    this.#isSealedAtItsEnd = true
    const { text, signature, data } = detail
    const last = this.#last
    const open = last?.type === 'thinking' && last.signature === '' ? last : undefined
    if (isOwn(detail)) {
      if (typeof data === 'string') {
        this.#beginSecret(data)
        return
      }
      const hasText = typeof text === 'string' && text !== ''
      if (!hasText || text === open?.text) {
        const block = hasText ? open! : this.#begin('thinking')
        block.signature = String(signature)
        return
      }
    }
    this.#details.push(detail)
    this.#seal()
  }

  /**
   * Keeps reasoning that the vendor wants back, until another block begins. A signature of the protocol's own vendor is sent with
   * the thought that it came for, if nothing has followed.
   */
  #addDetails(details: readonly JsonObject[]): void {
    for (const detail of details) {
      const { text, signature, data, place: position } = detail
      const last = this.#last
      if (isOwn(detail) && position === undefined) {
        const isSame = text === undefined || text === '' || text === last?.text
        if (typeof signature === 'string' && last?.type === 'thinking' && last.signature === '' && isSame) {
          last.signature = signature
          continue
        }
        if (typeof data === 'string' && (last === undefined || last.type === 'redacted_thinking')) {
          this.#beginSecret(data)
          continue
        }
      }
      this.#hold(JSON.stringify(detail).length)
      this.#details.push(detail)
    }
  }

  /** Sends what vendors want back as a signature of the last thought, or as a block of its own. */
  #seal(): void {
    if (this.#details.length === 0 && this.#extras.size === 0) return
    const sealed = sealReasoning({
      realm: this.#identity.realm?.(),
      details: this.#details,
      calls: this.#extras,
    })
    if (sealed === undefined) return
    this.#details = []
    this.#extras.clear()
    const last = this.#last
    if (last?.type === 'thinking' && last.signature === '') last.signature = sealed
    else this.#beginSecret(sealed)
  }

  #begin(type: 'thinking' | 'text' | 'tool_use', id = '', name = ''): StreamBlock {
    this.#seal()
    const reader = type === 'tool_use' ? new ArgumentsReader() : undefined
    const block: StreamBlock = { type, id, name, text: '', signature: '', waiting: [], reader }
    this.#later.push(block)
    this.#advance(false)
    return block
  }

  /** Adds a block of what only a vendor can read. It is complete. */
  #beginSecret(data: string): void {
    this.#hold(data.length)
    this.#later.push({
      type: 'redacted_thinking',
      id: '',
      name: '',
      text: data,
      signature: '',
      waiting: [],
      reader: undefined,
    })
    this.#advance(false)
  }

  #append(block: StreamBlock, text: string): void {
    if (block === this.#open) this.#writeDelta(block, text)
    else {
      this.#hold(text.length)
      block.waiting.push(text)
    }
  }

  #hold(size: number): void {
    // A piece needs memory even if its text is short.
    this.#held += size + 64
    if (this.#held <= maxHeld) return
    throw new UpstreamError('The upstream sent too much after a tool call that it had not ended.', {
      kind: 'garbled',
    })
  }

  /** Sends blocks until one has to wait. @param ended - whether the vendor has ended: then none has to. */
  #advance(ended: boolean): void {
    while (this.#next < this.#later.length) {
      const open = this.#open
      if (!ended && open?.reader?.ended === false) return
      this.#close()
      this.#start(this.#later[this.#next++]!)
    }
    this.#later.length = 0
    this.#next = 0
  }

  #start(block: StreamBlock): void {
    this.#open = block
    this.#index++
    this.#out += eventText('content_block_start', { index: this.#index, content_block: emptyBlock(block) })
    if (this.#index === 0) this.#out += eventText('ping', {})
    for (const text of block.waiting) {
      this.#held -= text.length + 64
      this.#writeDelta(block, text)
    }
    block.waiting.length = 0
  }

  #close(): void {
    const block = this.#open
    if (block === undefined) return
    if (block.type === 'tool_use') checkedInput({ input: block.text }, this.#finish === 'length')
    // Also without one: a client may keep only thoughts of which it was sent a signature.
    if (block.type === 'thinking') {
      this.#out += deltaText(this.#index, 'signature_delta', 'signature', block.signature)
    }
    this.#out += eventText('content_block_stop', { index: this.#index })
    this.#open = undefined
  }

  #writeDelta({ type }: StreamBlock, text: string): void {
    switch (type) {
      case 'text':
        this.#out += deltaText(this.#index, 'text_delta', 'text', text)
        break
      case 'thinking':
        this.#out += deltaText(this.#index, 'thinking_delta', 'thinking', text)
        break
      case 'tool_use':
        this.#out += deltaText(this.#index, 'input_json_delta', 'partial_json', text)
        break
    }
  }
}

function emptyBlock({ type, id, name, text }: StreamBlock): object {
  switch (type) {
    case 'text':
      return { type, text: '' }
    case 'thinking':
      return { type, thinking: '', signature: '' }
    case 'redacted_thinking':
      return { type, data: text }
    case 'tool_use':
      return { type, id: writtenCallId(id), name, input: {} }
  }
}

function deltaText(index: number, type: string, member: string, text: string): string {
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":${JSON.stringify(text)}}}\n\n`
}

function eventText(type: string, value: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`
}

/** Returns an event as the vendor wrote it. A line break in its data begins a line of its own. */
function nativeText(type: string | undefined, data: string): string {
  const name = type === undefined || type === '' ? '' : `event: ${type.replace(/[\r\n]+/g, ' ')}\n`
  return `${name}data: ${data.replace(/\r\n|\r|\n/g, '\ndata: ')}\n\n`
}
