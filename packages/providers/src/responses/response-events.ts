import type { FinishReason, JsonObject, Logprobs, PartialChunk, PartialMessage } from '@sluice/core/provider'
import { partialLogprobs } from '../chat-completions/partial-logprobs.ts'
import type { ReasoningPosition } from '../conversation/reasoning-blocks.ts'
import { ResponseParts } from '../conversation/response-parts.ts'
import type { EventReader, Progress } from '../wire/event-chunks.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { countOf, type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { responseError } from './errors.ts'
import { responseUsage } from './usage.ts'

/** `format` of the reasoning in `reasoning_details`. */
export const reasoningFormat = 'openai-responses-v1'

/** What has come of an item before its end. */
interface OpenItem {
  /** Index of its call; `undefined` if it is none. */
  readonly call: number | undefined
  /** Whether the deltas of its text, its refusal, its reasoning or its input have come. */
  readonly received: Set<string>
  /** The length of the answer's text before it. */
  readonly textBefore: number
  /** A part of its reasoning has begun after another: an empty line is between them. */
  nextPart: boolean
}

type DeltaName = 'content' | 'refusal' | 'reasoning_content'

/** Maximum number of items that may be open at once. Vendors send one after the other. */
const maxOpen = 256

/**
 * Reads the events of one streamed response (Responses API). Items are known by their `output_index`, because the ids of some servers
 * change within a stream. What no delta brought is taken from the item at its end, because the `output` of the last event may be empty.
 */
export class ResponseEvents implements EventReader {
  progress: Progress = 'open'
  readonly #open = new Map<unknown, OpenItem>()
  readonly #parts = new EncryptedParts(reasoningFormat)
  #calls = 0
  /** The length of the text so far. */
  #texted = 0
  #webSearches = 0
  #model: string | undefined

  read(value: Fields, event: string, chunks: PartialChunk[]): void {
    const type = textOf(value.type) ?? event
    switch (type) {
      case 'response.output_text.delta':
        this.#delta(value, 'content', chunks)
        break
      case 'response.refusal.delta':
        this.#delta(value, 'refusal', chunks)
        break
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        this.#delta(value, 'reasoning_content', chunks)
        break
      case 'response.reasoning_summary_part.added':
        if ((countOf(value.summary_index) ?? 0) > 0) this.#itemOf(value.output_index).nextPart = true
        break
      case 'response.content_part.added':
        if (
          isFields(value.part) &&
          value.part.type === 'reasoning_text' &&
          (countOf(value.content_index) ?? 0) > 0
        )
          this.#itemOf(value.output_index).nextPart = true
        break
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#input(value, chunks)
        break
      case 'response.output_item.added':
        if (isFields(value.item)) this.#add(value.item, value.output_index, chunks)
        break
      case 'response.output_item.done':
        if (isFields(value.item)) this.#end(value.item, value.output_index, chunks)
        break
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        if (isFields(value.response)) this.#begin(value.response, chunks)
        break
      case 'response.completed':
      case 'response.incomplete':
        if (!isFields(value.response)) throw garbledResponse('an end without its response')
        this.finish(value.response, chunks)
        break
      case 'response.failed':
        throw responseError(isFields(value.response) ? value.response : value)
      case 'error':
        throw responseError(value)
      default:
        if (isFields(value.error)) throw responseError(value)
    }
  }

  /** Reads an item that has ended, with what no delta brought. */
  addItem(item: Fields, index: number, chunks: PartialChunk[]): void {
    this.#end(item, index, chunks)
  }

  /** Reads a response that has ended. */
  finish(response: Fields, chunks: PartialChunk[]): void {
    this.progress = 'ended'
    this.#begin(response, chunks)
    const { details } = this.#parts
    const delta: PartialMessage = details === undefined ? {} : { reasoning_details: details }
    const usage = responseUsage(response.usage, this.#webSearches)
    const tier = textOf(response.service_tier)
    chunks.push({
      choices: [{ index: 0, delta, finish_reason: this.#finishReason(response) }],
      ...(usage === undefined ? {} : { usage }),
      ...(tier === undefined ? {} : { service_tier: tier }),
    })
  }

  #finishReason({ incomplete_details: details }: Fields): FinishReason {
    const reason = isFields(details) ? details.reason : undefined
    if (reason === 'content_filter') return 'content_filter'
    if (typeof reason === 'string') return 'length'
    return this.#calls > 0 ? 'tool_calls' : 'stop'
  }

  #begin({ model }: Fields, chunks: PartialChunk[]): void {
    const name = textOf(model)
    if (name === undefined || name === this.#model) return
    this.#model = name
    chunks.push({ choices: [], model: name })
  }

  #delta(value: Fields, name: DeltaName, chunks: PartialChunk[]): void {
    const text = textOf(value.delta)
    if (text === undefined) return
    const item = this.#itemOf(value.output_index)
    item.received.add(name)
    if (name === 'content') {
      this.#addText(text, value.logprobs, chunks)
      return
    }
    const separator = item.nextPart && name === 'reasoning_content' ? partSeparator : ''
    item.nextPart = false
    chunks.push(deltaChunk({ [name]: `${separator}${text}` }))
  }

  #addText(text: string, logprobs: unknown, chunks: PartialChunk[]): void {
    this.#texted += text.length
    const found = Array.isArray(logprobs) ? partialLogprobs({ content: logprobs }) : undefined
    chunks.push(deltaChunk({ content: text }, found))
  }

  #itemOf(index: unknown): OpenItem {
    const open = this.#open.get(index)
    if (open !== undefined) return open
    if (this.#open.size >= maxOpen) throw garbledResponse(`more than ${maxOpen} items that have not ended`)
    const item = this.#newItem(undefined)
    this.#open.set(index, item)
    return item
  }

  #newItem(call: number | undefined): OpenItem {
    return { call, received: new Set(), textBefore: this.#texted, nextPart: false }
  }

  #add(item: Fields, index: unknown, chunks: PartialChunk[]): void {
    if (this.#open.has(index) || !isCall(item)) return
    if (this.#open.size >= maxOpen) throw garbledResponse(`more than ${maxOpen} items that have not ended`)
    const call = this.#calls++
    this.#open.set(index, this.#newItem(call))
    const id = textOf(item.call_id) ?? textOf(item.id)
    const name = textOf(item.name) ?? ''
    const opener = {
      index: call,
      ...(id === undefined ? {} : { id }),
      ...(item.type === 'function_call'
        ? { type: 'function' as const, function: { name, arguments: '' } }
        : { type: 'custom' as const, custom: { name, input: '' } }),
    }
    chunks.push(deltaChunk({ tool_calls: [opener] }))
  }

  #input({ output_index, delta, type }: Fields, chunks: PartialChunk[]): void {
    const text = textOf(delta)
    const open = this.#open.get(output_index)
    if (text === undefined || open?.call === undefined) return
    open.received.add('input')
    chunks.push(inputChunk(open.call, text, type !== 'response.custom_tool_call_input.delta'))
  }

  #end(item: Fields, index: unknown, chunks: PartialChunk[]): void {
    this.#add(item, index, chunks)
    const open = this.#open.get(index)
    this.#open.delete(index)
    const lacks = (name: string) => open?.received.has(name) !== true
    switch (item.type) {
      case 'message':
        this.#endMessage(item, open?.textBefore ?? this.#texted, lacks, chunks)
        break
      case 'function_call':
      case 'custom_tool_call': {
        const isFunction = item.type === 'function_call'
        const text = textOf(isFunction ? item.arguments : item.input)
        if (text !== undefined && open?.call !== undefined && lacks('input'))
          chunks.push(inputChunk(open.call, text, isFunction))
        break
      }
      case 'reasoning':
        this.#reason(item, lacks('reasoning_content'), chunks)
        break
      case 'web_search_call':
        this.#webSearches++
    }
  }

  #endMessage(
    item: Fields,
    textBefore: number,
    lacks: (name: string) => boolean,
    chunks: PartialChunk[],
  ): void {
    const annotations: JsonObject[] = []
    let from = textBefore
    for (const part of objectsOf(item.content) ?? []) {
      if (part.type === 'refusal') {
        const refusal = textOf(part.refusal)
        if (refusal !== undefined && lacks('refusal')) chunks.push(deltaChunk({ refusal }))
        continue
      }
      const text = textOf(part.text)
      if (text !== undefined && lacks('content')) this.#addText(text, part.logprobs, chunks)
      for (const citation of objectsOf(part.annotations) ?? [])
        if (citation.type === 'url_citation') annotations.push(linkOf(citation, from))
      from += text?.length ?? 0
    }
    if (annotations.length === 0) return
    this.#parts.keep(JSON.stringify(annotations).length)
    chunks.push(deltaChunk({ annotations }))
  }

  #reason(item: Fields, lacksText: boolean, chunks: PartialChunk[]): void {
    const parts = [...(objectsOf(item.summary) ?? []), ...(objectsOf(item.content) ?? [])]
    const texts = parts.flatMap(part => textOf(part.text) ?? [])
    if (texts.length > 0 && lacksText)
      chunks.push(deltaChunk({ reasoning_content: texts.join(partSeparator) }))
    const data = textOf(item.encrypted_content)
    if (data === undefined) return
    const id = textOf(item.id)
    const position = { text: this.#texted, calls: this.#calls }
    chunks.push(
      deltaChunk({ ended_reasoning: this.#parts.add({ ...(id !== undefined && { id }), data }, position) }),
    )
  }
}

/** What separates the parts of a thought. */
const partSeparator = '\n\n'

/** The encrypted reasoning of a response. */
class EncryptedParts extends ResponseParts {
  add(encrypted: { readonly id?: string; readonly data: string }, position: ReasoningPosition): JsonObject {
    return this.addDetail({ type: 'reasoning.encrypted', ...encrypted }, encrypted.data.length, position)
  }
}

/** Returns a link as chat completions have it: its range is within all of the text. */
function linkOf({ type: _, ...link }: Fields, from: number): JsonObject {
  const shifted = (name: string) => {
    const index = countOf(link[name])
    return index === undefined ? {} : { [name]: index + from }
  }
  const url_citation = { ...link, ...shifted('start_index'), ...shifted('end_index') } as JsonObject
  return { type: 'url_citation', url_citation }
}

function isCall({ type }: Fields): boolean {
  return type === 'function_call' || type === 'custom_tool_call'
}

function deltaChunk(delta: PartialMessage, logprobs?: Logprobs): PartialChunk {
  return { choices: [{ index: 0, delta, ...(logprobs !== undefined && { logprobs }) }] }
}

function inputChunk(index: number, text: string, isFunction: boolean): PartialChunk {
  const call = isFunction ? { index, function: { arguments: text } } : { index, custom: { input: text } }
  return deltaChunk({ tool_calls: [call] })
}
