import type {
  PartialChunk,
  PartialChunkChoice,
  PartialMessage,
  PartialToolCall,
  PartialUsage,
} from '../contracts/provider.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import type { ChunkChoice, Delta, FinishReason } from '../protocol/chat.ts'
import { callChars } from '../usage/usage.ts'
import { finishReason } from './completion.ts'
import { deltaChars, ToolCalls } from './tool-calls.ts'

interface ChoiceState {
  readonly index: number
  started: boolean
  finish: FinishReason | null
  functionCalled: boolean
  readonly tools: ToolCalls
}

const maxChoices = 128

/** The parameters of a request that affect its stream. */
export interface StreamParameters {
  /** Number of choices (`n`). */
  readonly choices: number
  /** Whether to include logprobs. */
  readonly logprobs: boolean
}

/**
 * Converts a vendor's chunks to the order of the chat completions API: per choice a role chunk, its content, and a finish
 * chunk. Finish chunks are sent at the end, because some vendors continue after them.
 */
export class StreamNormalizer {
  /** The vendor's usage so far. */
  usage: PartialUsage | undefined
  /** The service tier, if the vendor names one. After `end` it may be one that arrived after the first choice. */
  serviceTier: string | undefined
  systemFingerprint: string | null = null
  /** The model that the vendor reports. */
  model: string | undefined
  /** The last service tier from the vendor, also with its usage at the end. */
  answeredTier: string | undefined
  /** UTF-16 code units of text, reasoning and arguments so far. */
  chars = 0
  /** How many of them belong to refusals. */
  refusalChars = 0
  /** The error of the last chunks. Do not call `push` after it. */
  failure: unknown
  #hasAudio = false
  #lateServiceTier: string | undefined
  readonly #choices: ChoiceState[] = []
  readonly #byVendorIndex = new Map<number, ChoiceState>()
  readonly #newId: () => string
  readonly #parameters: StreamParameters

  constructor(newId: () => string, parameters: StreamParameters) {
    this.#newId = newId
    this.#parameters = parameters
  }

  /** Whether a choice or usage has arrived. */
  get started(): boolean {
    return this.#choices.length > 0 || this.usage !== undefined
  }

  /** Whether any output has arrived: text, a tool call, audio, or a finish reason. */
  get hasOutput(): boolean {
    return (
      this.chars > 0 ||
      this.#hasAudio ||
      this.#choices.some(({ finish, tools }) => finish !== null || tools.count > 0)
    )
  }

  /** The finish reasons: the vendor's so far, and after `end` those that callers receive. */
  get finishReasons(): readonly FinishReason[] {
    return this.#choices.flatMap(({ finish }) => finish ?? [])
  }

  /**
   * Converts the chunks of one read into choices to send, one per chunk. Invalid ones set `failure`, an `UpstreamError` of
   * kind `garbled`.
   */
  push(chunks: readonly PartialChunk[]): ChunkChoice[] {
    const out: ChunkChoice[] = []
    try {
      for (const chunk of chunks) this.#addChunk(chunk, out)
    } catch (failure) {
      this.failure = failure
    }
    return out
  }

  /**
   * Returns the last chunks after the vendor has ended its stream. Throws `failure` if it is set, and `UpstreamError` of kind
   * `garbled` if there was no choice.
   */
  end(): ChunkChoice[] {
    if (this.failure !== undefined) throw this.failure
    if (this.#choices.length === 0) {
      throw new UpstreamError('The upstream ended its answer without a choice.', { kind: 'garbled' })
    }
    this.serviceTier ??= this.#lateServiceTier
    const out: ChunkChoice[] = []
    for (const state of this.#choices) {
      for (const delta of state.tools.close()) {
        this.chars += deltaChars(delta)
        out.push(chunkOf(state, { tool_calls: [delta] }))
      }
      const finish = finishReason(state.finish, state.tools.count > 0, state.functionCalled)
      state.finish = finish
      out.push({ index: state.index, delta: {}, logprobs: null, finish_reason: finish })
    }
    return out
  }

  #addChunk(chunk: PartialChunk, out: ChunkChoice[]): void {
    // Usage is cumulative: fields that a later chunk omits stay.
    if (chunk.usage !== undefined) this.usage = { ...this.usage, ...chunk.usage }
    if (chunk.model !== undefined) this.model = chunk.model
    if (chunk.service_tier !== undefined) this.answeredTier = chunk.service_tier
    // Fields of every chunk are fixed with the first one, so that they do not depend on how the bytes were read.
    if (this.#choices.length > 0) {
      // Some vendors send the tier with the usage, at the end.
      if (chunk.service_tier) this.#lateServiceTier = chunk.service_tier
    } else {
      if (chunk.service_tier) this.serviceTier = chunk.service_tier
      if (chunk.system_fingerprint) this.systemFingerprint = chunk.system_fingerprint
    }
    for (const choice of chunk.choices) this.#add(choice, out)
  }

  #add({ index, delta, logprobs, finish_reason }: PartialChunkChoice, out: ChunkChoice[]): void {
    const state = this.#stateOf(index)
    // The first reason wins, but any other reason replaces `stop`.
    if (finish_reason != null && (state.finish ?? 'stop') === 'stop') state.finish = finish_reason
    if (!state.started) this.#start(state, delta, out)
    const first = out.length
    if (delta.reasoning_content || delta.reasoning_details !== undefined) {
      this.chars += delta.reasoning_content?.length ?? 0
      out.push(chunkOf(state, reasoningOf(delta)))
    }
    if (delta.content) {
      this.chars += delta.content.length
      out.push(chunkOf(state, { content: delta.content }))
    }
    if (delta.refusal) {
      this.chars += delta.refusal.length
      this.refusalChars += delta.refusal.length
      out.push(chunkOf(state, { refusal: delta.refusal }))
    }
    if (delta.tool_calls !== undefined) this.#addTools(state, delta.tool_calls, out)
    if (delta.function_call !== undefined) {
      state.functionCalled = true
      this.chars += callChars(delta.function_call)
      out.push(chunkOf(state, { function_call: delta.function_call }))
    }
    if (delta.audio !== undefined) {
      this.#hasAudio = true
      out.push(chunkOf(state, { audio: delta.audio }))
    }
    if (delta.annotations !== undefined) out.push(chunkOf(state, { annotations: delta.annotations }))
    if (delta.citations !== undefined) out.push(chunkOf(state, { citations: delta.citations }))
    if (this.#parameters.logprobs && (logprobs?.content?.length || logprobs?.refusal?.length)) {
      // Logprobs of tokens without text are sent too.
      if (out.length === first) out.push(chunkOf(state, { content: '' }))
      out[first] = { ...out[first]!, logprobs }
    }
  }

  #addTools(state: ChoiceState, pieces: readonly PartialToolCall[], out: ChunkChoice[]): void {
    for (const piece of state.tools.push(pieces)) {
      this.chars += deltaChars(piece) + ((piece.function ?? piece.custom)?.name?.length ?? 0)
      out.push(chunkOf(state, { tool_calls: [piece] }))
    }
  }

  /** Adds the role chunk. Its content is `null` if the response does not start with text. */
  #start(state: ChoiceState, delta: PartialMessage, out: ChunkChoice[]): void {
    state.started = true
    if (delta.refusal) {
      out.push(chunkOf(state, { role: 'assistant', content: null, refusal: '' }))
      return
    }
    const textless =
      delta.tool_calls !== undefined || delta.function_call !== undefined || delta.content === null
    out.push(chunkOf(state, { role: 'assistant', content: textless ? null : '', refusal: null }))
  }

  #stateOf(vendorIndex: number): ChoiceState {
    const known = this.#byVendorIndex.get(vendorIndex)
    if (known !== undefined) return known
    if (!(vendorIndex >= 0 && vendorIndex < maxChoices)) {
      throw new UpstreamError(`The upstream sent a choice with index ${vendorIndex}.`, { kind: 'garbled' })
    }
    const taken = (index: number) => this.#choices.some(state => state.index === index)
    // Some vendors number the only choice differently.
    let index = vendorIndex < this.#parameters.choices ? vendorIndex : 0
    while (taken(index)) index++
    const tools = new ToolCalls(this.#newId)
    const state: ChoiceState = { index, started: false, finish: null, functionCalled: false, tools }
    this.#byVendorIndex.set(vendorIndex, state)
    this.#choices.push(state)
    return state
  }
}

function chunkOf(state: ChoiceState, delta: Delta): ChunkChoice {
  return { index: state.index, delta, logprobs: null, finish_reason: null }
}

function reasoningOf(delta: PartialMessage): Delta {
  return {
    ...(delta.reasoning_content ? { reasoning_content: delta.reasoning_content } : {}),
    ...(delta.reasoning_details === undefined ? {} : { reasoning_details: delta.reasoning_details }),
  }
}
