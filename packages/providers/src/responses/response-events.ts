import type { FinishReason, JsonObject, PartialChunk, PartialMessage } from '@sluice/core/provider'
import type { EventReader, Progress } from '../wire/event-chunks.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
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
}

/** Maximum number of items that may be open at once. Vendors send one after the other. */
const maxOpen = 256

/**
 * Reads the events of one streamed response (Responses API). Items are known by their `output_index`, because the ids of some servers
 * change within a stream. What no delta brought is taken from the item at its end, because the `output` of the last event may be empty.
 */
export class ResponseEvents implements EventReader {
  progress: Progress = 'open'
  readonly #open = new Map<unknown, OpenItem>()
  readonly #details: JsonObject[] = []
  readonly #annotations: JsonObject[] = []
  #calls = 0
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
    const delta: PartialMessage = {
      ...(this.#details.length === 0 ? {} : { reasoning_details: this.#details }),
      ...(this.#annotations.length === 0 ? {} : { annotations: this.#annotations }),
    }
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

  #delta(value: Fields, name: 'content' | 'refusal' | 'reasoning_content', chunks: PartialChunk[]): void {
    const text = textOf(value.delta)
    if (text === undefined) return
    this.#itemOf(value.output_index).received.add(name)
    chunks.push(deltaChunk({ [name]: text }))
  }

  #itemOf(index: unknown): OpenItem {
    const open = this.#open.get(index)
    if (open !== undefined) return open
    if (this.#open.size >= maxOpen) throw garbledResponse(`more than ${maxOpen} items that have not ended`)
    const item: OpenItem = { call: undefined, received: new Set() }
    this.#open.set(index, item)
    return item
  }

  #add(item: Fields, index: unknown, chunks: PartialChunk[]): void {
    if (this.#open.has(index) || !isCall(item)) return
    if (this.#open.size >= maxOpen) throw garbledResponse(`more than ${maxOpen} items that have not ended`)
    const call = this.#calls++
    this.#open.set(index, { call, received: new Set() })
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
        for (const part of objectsOf(item.content) ?? []) this.#part(part, lacks, chunks)
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

  #part(part: Fields, lacks: (name: string) => boolean, chunks: PartialChunk[]): void {
    const name = part.type === 'refusal' ? 'refusal' : 'content'
    const text = textOf(part.type === 'refusal' ? part.refusal : part.text)
    if (text !== undefined && lacks(name)) chunks.push(deltaChunk({ [name]: text }))
    for (const { type, ...citation } of objectsOf(part.annotations) ?? [])
      if (type === 'url_citation') this.#annotations.push({ type, url_citation: citation as JsonObject })
  }

  #reason(item: Fields, lacksText: boolean, chunks: PartialChunk[]): void {
    const texts = [...(objectsOf(item.summary) ?? []), ...(objectsOf(item.content) ?? [])]
    const text = texts.map(part => textOf(part.text) ?? '').join('\n\n')
    if (text !== '' && lacksText) chunks.push(deltaChunk({ reasoning_content: text }))
    const data = textOf(item.encrypted_content)
    if (data === undefined) return
    const id = textOf(item.id)
    const detail = {
      type: 'reasoning.encrypted',
      format: reasoningFormat,
      ...(id === undefined ? {} : { id }),
      data,
      index: this.#details.length,
    }
    this.#details.push(detail)
    chunks.push(deltaChunk({ ended_reasoning: detail }))
  }
}

function isCall({ type }: Fields): boolean {
  return type === 'function_call' || type === 'custom_tool_call'
}

function deltaChunk(delta: PartialMessage): PartialChunk {
  return { choices: [{ index: 0, delta }] }
}

function inputChunk(index: number, text: string, isFunction: boolean): PartialChunk {
  const call = isFunction ? { index, function: { arguments: text } } : { index, custom: { input: text } }
  return deltaChunk({ tool_calls: [call] })
}
