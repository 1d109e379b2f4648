import type { JsonObject, PartialChunk, PartialMessage, PartialToolCall } from '@sluice/core/provider'
import { finishReason, stopSequenceFields } from '../claude/finish-reason.ts'
import { argumentsOf } from '../conversation/tool-arguments.ts'
import type { EventReader, Progress } from '../wire/event-chunks.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields, textOf } from '../wire/json-value.ts'
import { AnswerParts } from './answer-parts.ts'
import { messagesErrorInBody, refusalText } from './errors.ts'
import { UsageCounts } from './usage.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** A content block that has begun and not ended. Fields that its kind does not need are empty. */
interface OpenBlock {
  /** `answer`: a call whose input is the answer. `ignored`: tools that the vendor runs, and unknown kinds. */
  readonly kind: 'text' | 'thinking' | 'call' | 'answer' | 'ignored'
  /** The offset of its text in the answer's text, in UTF-16 code units. */
  readonly start: number
  /** The number of calls before it. */
  readonly call: number
  /** Input from its start event: some servers send no deltas. */
  readonly input: unknown
  hasInput: boolean
  thinking: string
  signature: string
  citations: Fields[] | undefined
}

/** The most blocks that may be open at once. Vendors send one after the other. */
const maxOpen = 256

/** Reads the events of one streamed message (Messages API, streaming). It ends at `message_stop`. */
export class MessageEvents implements EventReader {
  progress: Progress = 'open'
  readonly #answerTool: string | undefined
  readonly #open = new Map<unknown, OpenBlock>()
  readonly #parts = new AnswerParts()
  readonly #usage = new UsageCounts()
  #id: unknown
  #started = false
  /** Whether any event of the message has arrived: compatible servers may omit `message_start`. */
  #began = false
  #length = 0
  #calls = 0
  #answered = false
  #reason: unknown
  #details: unknown
  #sequence: unknown

  /** @param answerTool - the tool whose input is the answer, if there is one. */
  constructor(answerTool: string | undefined) {
    this.#answerTool = answerTool
  }

  read(value: Fields, event: string, chunks: PartialChunk[]): void {
    switch (value.type ?? event) {
      case 'content_block_delta':
        if (isFields(value.delta)) this.#delta(value.delta, value.index, chunks)
        break
      case 'content_block_start':
        if (isFields(value.content_block)) this.#begin(value.content_block, value.index, chunks)
        break
      case 'content_block_stop':
        this.#end(value.index, chunks)
        break
      case 'message_start':
        this.#start(value.message, chunks)
        break
      case 'message_delta':
        this.#finish(value, chunks)
        break
      case 'message_stop':
        this.#stop(chunks)
        break
      case 'error':
        throw messagesErrorInBody(value)
      default:
        if (event === 'error' || isFields(value.error)) throw messagesErrorInBody(value)
    }
  }

  #start(message: unknown, chunks: PartialChunk[]): void {
    if (!isFields(message)) return
    if (this.#started) {
      if (message.id !== this.#id) throw garbledResponse('a second message within the first')
      return
    }
    this.#started = true
    this.#began = true
    this.#id = message.id
    const model = textOf(message.model)
    if (model) chunks.push({ choices: [], model })
    this.#usage.add(message.usage)
    this.#emitUsage(chunks)
  }

  #begin(content: Fields, index: unknown, chunks: PartialChunk[]): void {
    const before = this.#open.get(index)
    // A call that begins twice is one call, and must be sent once.
    if (before !== undefined && (before.kind !== 'call' || before.hasInput)) this.#end(index, chunks)
    this.#began = true
    const block = this.#blockOf(content, chunks)
    if (this.#open.size >= maxOpen) throw garbledResponse(`more than ${maxOpen} blocks that have not ended`)
    this.#open.set(index, block)
    switch (block.kind) {
      case 'text':
        // Compatible servers may send text in the start event.
        this.#emitText(textOf(content.text), chunks)
        if (Array.isArray(content.citations))
          for (const citation of content.citations) this.#cite(block, citation)
        break
      case 'thinking':
        this.#think(block, textOf(content.thinking), chunks)
        block.signature = textOf(content.signature) ?? ''
        break
      case 'call': {
        const id = textOf(content.id)
        const opener: Writable<PartialToolCall> = {
          index: block.call,
          type: 'function',
          function: { name: textOf(content.name) ?? '', arguments: '' },
        }
        if (id !== undefined) opener.id = id
        chunks.push(deltaChunk({ tool_calls: [opener] }))
        break
      }
    }
  }

  #blockOf(content: Fields, chunks: PartialChunk[]): OpenBlock {
    let kind: OpenBlock['kind'] = 'ignored'
    switch (content.type) {
      case 'text':
      case 'thinking':
        kind = content.type
        break
      case 'redacted_thinking':
        addEnded(this.#parts.thinkSecretly(content.data, { text: this.#length, calls: this.#calls }), chunks)
        break
      case 'tool_use':
        if (this.#answerTool === undefined || content.name !== this.#answerTool) kind = 'call'
        else if (!this.#answered) kind = 'answer'
        break
      default:
        this.#parts.leaveOut()
    }
    if (kind === 'answer') this.#answered = true
    const block = openBlock(kind, this.#length, this.#calls, content.input)
    if (kind === 'call') this.#calls++
    return block
  }

  #delta(delta: Fields, index: unknown, chunks: PartialChunk[]): void {
    const block = this.#open.get(index) ?? this.#implied(delta, index, chunks)
    if (block === undefined) return
    switch (delta.type) {
      case 'text_delta':
        if (block.kind === 'text') this.#emitText(textOf(delta.text), chunks)
        break
      case 'input_json_delta':
        this.#input(block, textOf(delta.partial_json), chunks)
        break
      case 'thinking_delta':
        if (block.kind === 'thinking') this.#think(block, textOf(delta.thinking), chunks)
        break
      case 'signature_delta':
        block.signature = textOf(delta.signature) ?? block.signature
        break
      case 'citations_delta':
        if (block.kind === 'text') this.#cite(block, delta.citation)
        break
    }
  }

  /** Opens a block of text or thinking whose start event a compatible server omitted. */
  #implied({ type }: Fields, index: unknown, chunks: PartialChunk[]): OpenBlock | undefined {
    if (type !== 'text_delta' && type !== 'thinking_delta') return undefined
    this.#begin({ type: type === 'text_delta' ? 'text' : 'thinking' }, index, chunks)
    return this.#open.get(index)
  }

  #end(index: unknown, chunks: PartialChunk[]): void {
    const block = this.#open.get(index)
    if (block === undefined) return
    this.#open.delete(index)
    if (block.kind === 'thinking') {
      const position = { text: block.start, calls: block.call }
      addEnded(this.#parts.think(block.thinking, block.signature, position), chunks)
    }
    if (!block.hasInput) this.#input(block, argumentsOf(block.input), chunks)
    if (block.citations !== undefined) this.#parts.cite(block.citations, block.start, this.#length)
  }

  #emitText(text: string | undefined, chunks: PartialChunk[]): void {
    if (text === undefined) return
    this.#length += text.length
    chunks.push(deltaChunk({ content: text }))
  }

  #think(block: OpenBlock, text: string | undefined, chunks: PartialChunk[]): void {
    if (text === undefined) return
    this.#parts.keep(text.length)
    block.thinking += text
    chunks.push(deltaChunk({ reasoning_content: text }))
  }

  #input(block: OpenBlock, text: string | undefined, chunks: PartialChunk[]): void {
    if (text === undefined) return
    block.hasInput = true
    if (block.kind === 'answer') this.#emitText(text, chunks)
    else if (block.kind === 'call')
      chunks.push(deltaChunk({ tool_calls: [{ index: block.call, function: { arguments: text } }] }))
  }

  #cite(block: OpenBlock, citation: unknown): void {
    if (!isFields(citation)) return
    this.#parts.keep(textOf(citation.cited_text)?.length ?? 0)
    block.citations ??= []
    block.citations.push(citation)
  }

  #finish({ delta, usage }: Fields, chunks: PartialChunk[]): void {
    this.#began = true
    if (isFields(delta)) {
      this.#reason = delta.stop_reason ?? this.#reason
      this.#details = delta.stop_details ?? this.#details
      this.#sequence = delta.stop_sequence ?? this.#sequence
    }
    this.#usage.add(usage)
    this.#emitUsage(chunks)
  }

  #stop(chunks: PartialChunk[]): void {
    if (!this.#began) throw garbledResponse('the end of a message that never began')
    this.progress = 'ended'
    // Closes the blocks that a compatible server did not close.
    for (const index of [...this.#open.keys()]) this.#end(index, chunks)
    const delta: Writable<PartialMessage> = {}
    const refusal = refusalText(this.#reason, this.#details)
    if (refusal !== undefined) delta.refusal = refusal
    if (this.#parts.details !== undefined) delta.reasoning_details = this.#parts.details
    if (this.#parts.annotations !== undefined) delta.annotations = this.#parts.annotations
    if (this.#parts.citations !== undefined) delta.citations = this.#parts.citations
    const finish_reason = finishReason(this.#reason, this.#calls > 0)
    const fields = stopSequenceFields(this.#sequence)
    chunks.push({
      choices: [{ index: 0, delta, finish_reason, ...(fields && { provider_specific_fields: fields }) }],
    })
  }

  #emitUsage(chunks: PartialChunk[]): void {
    const { partial: usage, serviceTier } = this.#usage
    if (usage === undefined) return
    chunks.push(
      serviceTier === undefined ? { choices: [], usage } : { choices: [], usage, service_tier: serviceTier },
    )
  }
}

/** Adds the detail of reasoning that has ended. */
function addEnded(detail: JsonObject | undefined, chunks: PartialChunk[]): void {
  if (detail !== undefined) chunks.push(deltaChunk({ ended_reasoning: detail }))
}

/** Returns a chunk with a delta of the only choice. */
function deltaChunk(delta: PartialMessage): PartialChunk {
  return { choices: [{ index: 0, delta }] }
}

/** Returns a block at its start. */
function openBlock(kind: OpenBlock['kind'], start: number, call: number, input: unknown): OpenBlock {
  return { kind, start, call, input, hasInput: false, thinking: '', signature: '', citations: undefined }
}
