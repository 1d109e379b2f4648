import type { AnswerDelta, AnswerOrigin } from '../contracts/dialect.ts'
import type {
  PartialChunk,
  PartialChunkChoice,
  PartialMessage,
  PartialToolCall,
  PartialUsage,
  ProviderSpecificFields,
} from '../contracts/provider.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import type { FinishReason, ToolCallDelta } from '../protocol/chat.ts'
import { callChars } from '../usage/usage.ts'
import { finishReason } from './finish-reason.ts'
import { PairedText } from './paired-text.ts'
import { deltaChars, ToolCalls } from './tool-calls.ts'

interface ChoiceState {
  readonly index: number
  readonly vendorIndex: number
  started: boolean
  finish: FinishReason | null
  functionCalled: boolean
  /** What the vendor added to the choice, until it is sent. */
  fields: ProviderSpecificFields | undefined
  /** Created with its first call: most choices have none. */
  tools: ToolCalls | undefined
  /** Created with its first half of a surrogate pair: most choices have none. */
  texts: Record<TextField, PairedText> | undefined
}

const textFields = ['content', 'refusal', 'reasoning_content'] as const
type TextField = (typeof textFields)[number]

const maxChoices = 128

/** The parameters of a request that affect its stream. */
export interface StreamParameters {
  /** Number of choices (`n`). */
  readonly choices: number
  /** Whether to include logprobs. */
  readonly logprobs: boolean
}

/** Returns the parameters of a request that affect its stream. */
export function streamParameters(request: GenerateRequest): StreamParameters {
  const { n = 1, logprobs } = request.settings()
  return { choices: n, logprobs: logprobs === true }
}

/**
 * Repairs the chunks of a complete answer. Throws `UpstreamError` of kind `garbled` for invalid ones, or without a choice.
 */
export function normalizeChunks(
  chunks: readonly PartialChunk[],
  newId: () => string,
  parameters: StreamParameters,
): readonly AnswerDelta[] {
  const normalizer = new StreamNormalizer(newId, parameters)
  const deltas = normalizer.push(chunks)
  return [...deltas, ...normalizer.end()]
}

/**
 * Repairs a vendor's chunks for any dialect: numbers choices and tool calls, gives calls their ids, counts what arrived. Finish
 * reasons are given at the end, because some vendors continue after them.
 */
export class StreamNormalizer implements AnswerOrigin {
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
  /** What the vendor added to its chunks, until it is sent. */
  #fields: ProviderSpecificFields | undefined
  #choices: readonly ChoiceState[] = noChoices
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
      this.#choices.some(({ finish, tools }) => finish !== null || hasCalls(tools))
    )
  }

  /** The finish reasons: the vendor's so far, and after `end` those that callers receive. */
  get finishReasons(): readonly FinishReason[] {
    return this.#choices.flatMap(({ finish }) => finish ?? [])
  }

  takeFields(): ProviderSpecificFields | undefined {
    const fields = this.#fields
    this.#fields = undefined
    return fields
  }

  /**
   * Converts the chunks of one read into what they add. Invalid ones set `failure`, an `UpstreamError` of kind `garbled`.
   */
  push(chunks: readonly PartialChunk[]): AnswerDelta[] {
    const out: AnswerDelta[] = []
    try {
      for (const chunk of chunks) this.#addChunk(chunk, out)
    } catch (failure) {
      this.failure = failure
    }
    return out
  }

  /**
   * Returns the last deltas after the vendor has ended its stream: per choice what is left of its calls, and why it ended.
   * Throws `failure` if it is set, and `UpstreamError` of kind `garbled` if there was no choice.
   */
  end(): AnswerDelta[] {
    if (this.failure !== undefined) throw this.failure
    if (this.#choices.length === 0) {
      throw new UpstreamError('The upstream ended its answer without a choice.', { kind: 'garbled' })
    }
    this.serviceTier ??= this.#lateServiceTier
    return this.#choices.map(state => {
      const calls = state.tools?.close() ?? noCalls
      for (const call of calls) this.chars += deltaChars(call)
      state.finish = finishReason(state.finish, hasCalls(state.tools), state.functionCalled)
      const delta = { ...restOf(state), ...(calls.length > 0 && { tool_calls: calls }) }
      this.#count(delta)
      const last: AnswerDelta = {
        index: state.index,
        first: false,
        delta,
        logprobs: null,
        finish: state.finish,
      }
      return state.fields === undefined ? last : withFields(last, state)
    })
  }

  #addChunk(chunk: PartialChunk, out: AnswerDelta[]): void {
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
    if (chunk.provider_specific_fields !== undefined) {
      this.#fields = { ...this.#fields, ...chunk.provider_specific_fields }
    }
    for (const choice of chunk.choices) this.#add(choice, out)
  }

  #add(choice: PartialChunkChoice, out: AnswerDelta[]): void {
    const { index, delta: given, logprobs: found, finish_reason } = choice
    const state = this.#stateOf(index)
    // The first reason wins, but any other reason replaces `stop`.
    if (finish_reason != null && (state.finish ?? 'stop') === 'stop') state.finish = finish_reason
    const first = !state.started
    state.started = true
    let delta = state.texts === undefined && isWellFormed(given) ? given : withPairs(state, given)
    let adds = this.#count(delta)
    let failure: unknown
    if (given.function_call !== undefined) state.functionCalled = true
    if (given.tool_calls !== undefined) {
      let calls: readonly ToolCallDelta[] = []
      try {
        calls = this.#repaired(state, given.tool_calls)
      } catch (error) {
        failure = error
      }
      delta = { ...delta, tool_calls: calls }
      adds ||= calls.length > 0
    }
    const hasLogprobs = this.#parameters.logprobs && Boolean(found?.content?.length || found?.refusal?.length)
    const { provider_specific_fields: fields } = choice
    if (fields !== undefined) state.fields = { ...state.fields, ...fields }
    if (first || adds || hasLogprobs) {
      const added: AnswerDelta = {
        index: state.index,
        first,
        delta,
        logprobs: hasLogprobs ? found! : null,
        finish: null,
      }
      // Without a delta of its own, it waits for the next one: the last at the latest.
      out.push(state.fields === undefined ? added : withFields(added, state))
    }
    // What came with it is delivered first.
    if (failure !== undefined) throw failure
  }

  /** Counts what a delta holds beside tool calls. Returns whether it holds anything. */
  #count(delta: PartialMessage): boolean {
    const { content, refusal, reasoning_content: reasoning, function_call: call } = delta
    let adds = false
    if (content) {
      this.chars += content.length
      adds = true
    }
    if (reasoning) {
      this.chars += reasoning.length
      adds = true
    }
    if (refusal) {
      this.chars += refusal.length
      this.refusalChars += refusal.length
      adds = true
    }
    if (call !== undefined) {
      this.chars += callChars(call)
      adds = true
    }
    if (delta.audio !== undefined) {
      this.#hasAudio = true
      adds = true
    }
    return (
      adds ||
      delta.reasoning_details !== undefined ||
      delta.ended_reasoning !== undefined ||
      delta.annotations !== undefined ||
      delta.citations !== undefined ||
      delta.provider_specific_fields !== undefined
    )
  }

  #repaired(state: ChoiceState, pieces: readonly PartialToolCall[]): readonly ToolCallDelta[] {
    state.tools ??= new ToolCalls(this.#newId)
    const calls = state.tools.push(pieces)
    for (const call of calls) {
      this.chars += deltaChars(call) + ((call.function ?? call.custom)?.name?.length ?? 0)
    }
    return calls
  }

  #stateOf(vendorIndex: number): ChoiceState {
    // Nearly always one: a table of them would take more memory than everything else here.
    for (const state of this.#choices) if (state.vendorIndex === vendorIndex) return state
    if (!(vendorIndex >= 0 && vendorIndex < maxChoices)) {
      throw new UpstreamError(`The upstream sent a choice with index ${vendorIndex}.`, { kind: 'garbled' })
    }
    const taken = (index: number) => this.#choices.some(state => state.index === index)
    // Some vendors number the only choice differently.
    let index = vendorIndex < this.#parameters.choices ? vendorIndex : 0
    while (taken(index)) index++
    const state: ChoiceState = {
      index,
      vendorIndex,
      started: false,
      finish: null,
      functionCalled: false,
      fields: undefined,
      tools: undefined,
      texts: undefined,
    }
    this.#choices = [...this.#choices, state]
    return state
  }
}

/** Moves what the vendor added to a choice to a delta of it. */
function withFields(delta: AnswerDelta, state: ChoiceState): AnswerDelta {
  const fields = state.fields!
  state.fields = undefined
  return { ...delta, fields }
}

function isWellFormed({ content, refusal, reasoning_content: reasoning }: PartialMessage): boolean {
  return !(
    content?.isWellFormed() === false ||
    refusal?.isWellFormed() === false ||
    reasoning?.isWellFormed() === false
  )
}

/** Returns a delta in which halves of surrogate pairs are joined with those before. */
function withPairs(state: ChoiceState, delta: PartialMessage): PartialMessage {
  state.texts ??= {
    content: new PairedText(),
    refusal: new PairedText(),
    reasoning_content: new PairedText(),
  }
  const paired: Partial<Record<TextField, string>> = {}
  for (const name of textFields) {
    const piece = delta[name]
    if (piece != null) paired[name] = state.texts[name].push(piece)
  }
  return { ...delta, ...paired }
}

/** Returns halves whose other half did not arrive. */
function restOf({ texts }: ChoiceState): PartialMessage {
  if (texts === undefined) return noDelta
  const rest: Partial<Record<TextField, string>> = {}
  for (const name of textFields) {
    const text = texts[name].end()
    if (text !== '') rest[name] = text
  }
  return rest
}

function hasCalls(tools: ToolCalls | undefined): boolean {
  return tools !== undefined && tools.count > 0
}

const noChoices: readonly ChoiceState[] = []
const noCalls: readonly ToolCallDelta[] = []
const noDelta: PartialMessage = Object.freeze({})
