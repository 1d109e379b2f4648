import type { PartialChunk, PartialMessage, PartialToolCall } from '@sluice/core/provider'
import { finishReason } from '../claude/finish-reason.ts'
import { argumentsOf } from '../conversation/tool-arguments.ts'
import type { EventReader, Progress } from '../wire/event-chunks.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields, textOf } from '../wire/json-value.ts'
import { AnswerParts } from './answer-parts.ts'
import { messagesErrorInBody, refusalText } from './errors.ts'
import { UsageCounts } from './usage.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** A content block of a stream that has begun and not ended. What its kind does not need stays empty. */
interface OpenBlock {
  /** `answer`: a call whose input is the answer. `ignored`: tools that the vendor runs, and whatever is not known. */
  readonly kind: 'text' | 'thinking' | 'call' | 'answer' | 'ignored'
  /** Where its text begins in the answer's, in UTF-16 code units. */
  readonly start: number
  /** How many calls the answer has before it. */
  readonly call: number
  /** Input that came with its start: some servers send no pieces. */
  readonly input: unknown
  hasInput: boolean
  thinking: string
  signature: string
  citations: Fields[] | undefined
}

/** More blocks at once than any answer has open: they come one after the other. */
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
  /** Anything of the message has come: compatible servers may leave out its start. */
  #began = false
  #length = 0
  #calls = 0
  #answered = false
  #reason: unknown
  #details: unknown

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
    this.#tellUsage(chunks)
  }

  #begin(content: Fields, index: unknown, chunks: PartialChunk[]): void {
    const before = this.#open.get(index)
    // A call that begins twice is one call: nothing of it may be said twice.
    if (before !== undefined && (before.kind !== 'call' || before.hasInput)) this.#end(index, chunks)
    this.#began = true
    const block = this.#blockOf(content)
    if (this.#open.size >= maxOpen) throw garbledResponse(`more than ${maxOpen} blocks that have not ended`)
    this.#open.set(index, block)
    switch (block.kind) {
      case 'text':
        // Compatible servers may begin with text.
        this.#say(textOf(content.text), chunks)
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
        chunks.push(said({ tool_calls: [opener] }))
        break
      }
    }
  }

  #blockOf(content: Fields): OpenBlock {
    let kind: OpenBlock['kind'] = 'ignored'
    switch (content.type) {
      case 'text':
      case 'thinking':
        kind = content.type
        break
      case 'redacted_thinking':
        this.#parts.thinkSecretly(content.data, { text: this.#length, calls: this.#calls })
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
        if (block.kind === 'text') this.#say(textOf(delta.text), chunks)
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

  /** Compatible servers may leave out the start of a block of text or thinking. */
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
      this.#parts.think(block.thinking, block.signature, { text: block.start, calls: block.call })
    }
    if (!block.hasInput) this.#input(block, argumentsOf(block.input), chunks)
    if (block.citations !== undefined) this.#parts.cite(block.citations, block.start, this.#length)
  }

  #say(text: string | undefined, chunks: PartialChunk[]): void {
    if (text === undefined) return
    this.#length += text.length
    chunks.push(said({ content: text }))
  }

  #think(block: OpenBlock, text: string | undefined, chunks: PartialChunk[]): void {
    if (text === undefined) return
    this.#parts.keep(text.length)
    block.thinking += text
    chunks.push(said({ reasoning_content: text }))
  }

  #input(block: OpenBlock, text: string | undefined, chunks: PartialChunk[]): void {
    if (text === undefined) return
    block.hasInput = true
    if (block.kind === 'answer') this.#say(text, chunks)
    else if (block.kind === 'call')
      chunks.push(said({ tool_calls: [{ index: block.call, function: { arguments: text } }] }))
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
    }
    this.#usage.add(usage)
    this.#tellUsage(chunks)
  }

  #stop(chunks: PartialChunk[]): void {
    if (!this.#began) throw garbledResponse('the end of a message that never began')
    this.progress = 'ended'
    // What compatible servers did not end by itself ends here.
    for (const index of [...this.#open.keys()]) this.#end(index, chunks)
    const delta: Writable<PartialMessage> = {}
    const refusal = refusalText(this.#reason, this.#details)
    if (refusal !== undefined) delta.refusal = refusal
    if (this.#parts.details !== undefined) delta.reasoning_details = this.#parts.details
    if (this.#parts.annotations !== undefined) delta.annotations = this.#parts.annotations
    if (this.#parts.citations !== undefined) delta.citations = this.#parts.citations
    const finish_reason = finishReason(this.#reason, this.#calls > 0)
    chunks.push({ choices: [{ index: 0, delta, finish_reason }] })
  }

  #tellUsage(chunks: PartialChunk[]): void {
    const { partial: usage, serviceTier } = this.#usage
    if (usage === undefined) return
    chunks.push(
      serviceTier === undefined ? { choices: [], usage } : { choices: [], usage, service_tier: serviceTier },
    )
  }
}

/** A chunk that adds to the only choice. */
function said(delta: PartialMessage): PartialChunk {
  return { choices: [{ index: 0, delta }] }
}

/** A block as it begins. */
function openBlock(kind: OpenBlock['kind'], start: number, call: number, input: unknown): OpenBlock {
  return { kind, start, call, input, hasInput: false, thinking: '', signature: '', citations: undefined }
}
