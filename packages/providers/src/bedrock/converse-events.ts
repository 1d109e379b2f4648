import type { Call, PartialChunk, PartialMessage } from '@sluice/core/provider'
import type { EventReader, Progress } from '../wire/event-chunks.ts'
import { failedGeneration, isFailedGeneration } from '../wire/failed-generation.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields, textOf } from '../wire/json-value.ts'
import { answerToolName } from './answer-format.ts'
import { AnswerParts } from './answer-parts.ts'
import { bedrockException } from './errors.ts'
import { bedrockModel } from './models.ts'
import {
  functionName,
  invokedModel,
  serviceTierOf,
  stopReason,
  stopSequenceOf,
  usageOf,
} from './response-fields.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** An open block that is not text. Fields that its kind does not need are empty. */
interface Block {
  readonly kind: 'reasoning' | 'call' | 'answer'
  /** The caller's call, by its number among the answer's. */
  readonly call: number
  hasInput: boolean
  text: string
  signature: string
  redacted: string
}

/** The most blocks that may be open at once. Vendors send one after the other. */
const maxOpen = 256

/**
 * Reads the events of one ConverseStream. The answer is complete at `messageStop`; the token counts follow in `metadata`.
 * A connection that ends between the two loses the counts, but does not truncate the answer.
 */
export class ConverseEvents implements EventReader {
  progress: Progress = 'open'
  readonly #answerTool: string | undefined
  readonly #parts: AnswerParts
  readonly #open = new Map<unknown, Block>()
  #began = false
  #counted = false
  #calls = 0
  #answered = false
  #hasText = false
  /** Text before a possible answer by a tool; it is discarded if the tool answers. */
  #bufferedText = ''

  constructor(call: Call) {
    this.#answerTool = answerToolName(call)
    this.#parts = new AnswerParts(bedrockModel(call.model))
  }

  read(value: Fields, event: string, chunks: PartialChunk[]): void {
    switch (event) {
      case 'messageStart':
        this.#began = true
        break
      case 'contentBlockDelta':
        this.#began = true
        if (!isFields(value.delta)) throw garbledResponse('a piece of a block that holds nothing')
        this.#delta(value.delta, value.contentBlockIndex, chunks)
        break
      case 'contentBlockStart':
        this.#began = true
        if (isFields(value.start)) this.#begin(value.start, value.contentBlockIndex, chunks)
        break
      case 'contentBlockStop':
        this.#close(value.contentBlockIndex, chunks)
        break
      case 'messageStop':
        this.#stop(value, chunks)
        break
      case 'metadata':
        this.#count(value, chunks)
        break
      default:
        if (event.startsWith('exception:')) throw bedrockException(event.slice('exception:'.length), value)
        if (event.startsWith('error:')) throw bedrockException(event.slice('error:'.length), value)
    }
  }

  #delta(delta: Fields, index: unknown, chunks: PartialChunk[]): void {
    if (typeof delta.text === 'string') {
      if (delta.text !== '') this.#addText(delta.text, index, chunks)
    } else if (isFields(delta.toolUse)) {
      const block = this.#open.get(index)
      if (block !== undefined) this.#input(block, textOf(delta.toolUse.input), chunks)
    } else if (isFields(delta.reasoningContent)) this.#think(delta.reasoningContent, index, chunks)
    else if (isFields(delta.citation)) this.#parts.cite(index, delta.citation)
  }

  #addText(text: string, index: unknown, chunks: PartialChunk[]): void {
    this.#parts.addText(index, text.length)
    this.#hasText = true
    if (this.#answerTool === undefined) chunks.push(deltaChunk({ content: text }))
    else if (!this.#answered) {
      this.#parts.keep(text.length)
      this.#bufferedText += text
    }
  }

  #begin(start: Fields, index: unknown, chunks: PartialChunk[]): void {
    const { toolUse } = start
    // Calls of the vendor's own tools are not passed on.
    if (!isFields(toolUse) || toolUse.type === 'server_tool_use') return
    const name = functionName(toolUse.name)
    if (name === this.#answerTool) {
      if (!this.#answered) this.#openBlock('answer', index)
      this.#answered = true
      return
    }
    const { call } = this.#openBlock('call', index)
    const id = textOf(toolUse.toolUseId)
    const opened = { index: call, type: 'function', function: { name, arguments: '' } } as const
    chunks.push(deltaChunk({ tool_calls: [id === undefined ? opened : { ...opened, id }] }))
  }

  #openBlock(kind: Block['kind'], index: unknown): Block {
    if (this.#open.size >= maxOpen) throw garbledResponse(`more than ${maxOpen} blocks that have not ended`)
    const call = kind === 'call' ? this.#calls++ : -1
    if (kind === 'call') this.#parts.call()
    const block: Block = { kind, call, hasInput: false, text: '', signature: '', redacted: '' }
    this.#open.set(index, block)
    return block
  }

  #input(block: Block, text: string | undefined, chunks: PartialChunk[]): void {
    if (text === undefined) return
    block.hasInput = true
    if (block.kind === 'answer') chunks.push(deltaChunk({ content: text }))
    else if (block.kind === 'call')
      chunks.push(deltaChunk({ tool_calls: [{ index: block.call, function: { arguments: text } }] }))
  }

  #think(delta: Fields, index: unknown, chunks: PartialChunk[]): void {
    // There is no event for the start of a reasoning block.
    const block = this.#open.get(index) ?? this.#openBlock('reasoning', index)
    if (block.kind !== 'reasoning') return
    const text = textOf(delta.text)
    if (text !== undefined) {
      this.#parts.keep(text.length)
      block.text += text
      chunks.push(deltaChunk({ reasoning_content: text }))
    }
    const signature = textOf(delta.signature)
    if (signature !== undefined) block.signature += signature
    const redacted = textOf(delta.redactedContent)
    if (redacted !== undefined) block.redacted += redacted
    this.#parts.keep((signature?.length ?? 0) + (redacted?.length ?? 0))
  }

  #close(index: unknown, chunks: PartialChunk[]): void {
    this.#parts.close(index)
    const block = this.#open.get(index)
    if (block === undefined) return
    this.#open.delete(index)
    if (block.kind === 'reasoning') {
      const details = [
        this.#parts.think(block.text, block.signature),
        this.#parts.thinkSecretly(block.redacted),
      ]
      for (const detail of details)
        if (detail !== undefined) chunks.push(deltaChunk({ ended_reasoning: detail }))
    } else if (!block.hasInput) this.#input(block, '{}', chunks)
  }

  #stop(value: Fields, chunks: PartialChunk[]): void {
    const { stopReason: reason } = value
    if (this.progress !== 'open') return
    if (!this.#began) throw garbledResponse('the end of a message that never began')
    for (const index of [...this.#open.keys()]) this.#close(index, chunks)
    const answered = this.#answered || this.#hasText || this.#calls > 0
    if (!answered && isFailedGeneration(reason)) throw failedGeneration()
    this.progress = this.#counted ? 'ended' : 'whole'
    const { details, annotations, citations } = this.#parts
    const delta: Writable<PartialMessage> = {}
    if (this.#bufferedText !== '' && !this.#answered) delta.content = this.#bufferedText
    if (details !== undefined) delta.reasoning_details = details
    // Their offsets are invalid if a tool gave the answer instead of the text.
    if (annotations !== undefined && !this.#answered) delta.annotations = annotations
    if (citations !== undefined && !this.#answered) delta.citations = citations
    const finish_reason = stopReason(reason, this.#calls > 0)
    const fields = stopSequenceOf(value)
    chunks.push({
      choices: [{ index: 0, delta, finish_reason, ...(fields && { provider_specific_fields: fields }) }],
    })
  }

  #count(value: Fields, chunks: PartialChunk[]): void {
    this.#counted = true
    if (this.progress === 'whole') this.progress = 'ended'
    const usage = usageOf(value.usage)
    if (usage === undefined) return
    const tier = serviceTierOf(value.serviceTier)
    chunks.push({
      choices: [],
      usage,
      ...(tier === undefined ? {} : { service_tier: tier }),
      ...invokedModel(value.trace),
    })
  }
}

/** A chunk that adds to the only choice. */
function deltaChunk(delta: PartialMessage): PartialChunk {
  return { choices: [{ index: 0, delta }] }
}
