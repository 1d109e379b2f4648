import type {
  PartialChoice,
  PartialChunk,
  PartialChunkChoice,
  PartialCompletion,
  PartialMessage,
  PartialToolCall,
  PartialUsage,
} from '../contracts/provider.ts'
import type { FinishReason, JsonObject, JsonValue, Logprobs, TokenLogprob } from '../protocol/chat.ts'

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

// Everything that grows with the number of chunks is added to in place: copies would make the cost quadratic.

/**
 * Returns the chunks of a complete answer by choice: its texts are joined, and the parts of each tool call.
 *
 * A part of a tool call belongs to the call with its `index`, else with its `id`, else to the last call. A part with a name
 * and neither begins a call, and so does another `id` at a known `index`. The calls have no `index`: they are in the order
 * in which they began.
 */
export function foldChunks(chunks: readonly PartialChunk[]): PartialCompletion {
  const all: FoldedChoice[] = []
  let byIndex: Map<number, FoldedChoice> | undefined
  const completion: Writable<PartialCompletion> = { choices: [] }
  let usage: Writable<PartialUsage> | undefined
  let fields: FoldedFields | undefined
  let usageFields: FoldedFields | undefined
  for (const chunk of chunks) {
    const { model, service_tier, system_fingerprint: fingerprint } = chunk
    if (chunk.usage !== undefined) {
      usage = { ...usage, ...chunk.usage }
      usageFields = addFields(usageFields, chunk.usage.provider_specific_fields)
    }
    if (model !== undefined) completion.model = model
    if (service_tier !== undefined) completion.service_tier = service_tier
    if (fingerprint !== undefined)
      completion.system_fingerprint = fingerprint ?? completion.system_fingerprint ?? null
    fields = addFields(fields, chunk.provider_specific_fields)
    for (const choice of chunk.choices) {
      // Most answers have one choice.
      let folded = all[0]?.index === choice.index ? all[0] : byIndex?.get(choice.index)
      if (folded === undefined) {
        folded = new FoldedChoice(choice.index)
        if (all.push(folded) > 1) {
          byIndex ??= new Map()
          byIndex.set(choice.index, folded)
        }
      }
      folded.add(choice)
    }
  }
  if (usage !== undefined) {
    if (usageFields !== undefined) usage.provider_specific_fields = { ...usageFields }
    completion.usage = usage
  }
  if (fields !== undefined) completion.provider_specific_fields = { ...fields }
  completion.choices = all.map(choice => choice.folded())
  return completion
}

/** A message while its deltas are folded. */
interface FoldedMessage extends Writable<Omit<PartialMessage, ListName>> {
  reasoning_details?: JsonObject[]
  annotations?: JsonObject[]
  citations?: JsonObject[]
}

type ListName = 'reasoning_details' | 'annotations' | 'citations'

/** A choice while its chunks are folded. What most answers lack is created when it is first needed. */
class FoldedChoice {
  readonly index: number
  readonly #message: FoldedMessage = {}
  #calls: FoldedCalls | undefined
  #audio: FoldedFields | undefined
  #fields: FoldedFields | undefined
  #messageFields: FoldedFields | undefined
  #finish: FinishReason | null | undefined
  #logprobs: { content: TokenLogprob[] | null; refusal: TokenLogprob[] | null } | null | undefined

  constructor(index: number) {
    this.index = index
  }

  add({ delta, logprobs, finish_reason, provider_specific_fields }: PartialChunkChoice): void {
    this.#addDelta(delta)
    if (logprobs !== undefined) this.#addLogprobs(logprobs)
    // The first reason wins, but any other reason replaces `stop`.
    if (finish_reason !== undefined && (this.#finish ?? 'stop') === 'stop') {
      this.#finish = finish_reason ?? this.#finish ?? null
    }
    this.#fields = addFields(this.#fields, provider_specific_fields)
  }

  folded(): PartialChoice {
    const message: Writable<PartialMessage> = this.#message
    if (this.#calls !== undefined) message.tool_calls = this.#calls.list
    if (this.#audio !== undefined) message.audio = { ...this.#audio }
    if (this.#messageFields !== undefined) message.provider_specific_fields = { ...this.#messageFields }
    const choice: Writable<PartialChoice> = { index: this.index, message }
    if (this.#logprobs !== undefined) choice.logprobs = this.#logprobs
    if (this.#finish !== undefined) choice.finish_reason = this.#finish
    if (this.#fields !== undefined) choice.provider_specific_fields = { ...this.#fields }
    return choice
  }

  #addDelta(delta: PartialMessage): void {
    const message = this.#message
    const { content, refusal, reasoning_content: reasoning, function_call: call, audio } = delta
    if (content !== undefined) message.content = joinedText(message.content, content)
    if (refusal !== undefined) message.refusal = joinedText(message.refusal, refusal)
    if (reasoning !== undefined) message.reasoning_content = (message.reasoning_content ?? '') + reasoning
    addItems(message, 'reasoning_details', delta.reasoning_details)
    addItems(message, 'annotations', delta.annotations)
    addItems(message, 'citations', delta.citations)
    if (call !== undefined) {
      const joined: Writable<NonNullable<PartialMessage['function_call']>> = { ...message.function_call }
      if (call.name !== undefined) joined.name = (joined.name ?? '') + call.name
      if (call.arguments !== undefined) joined.arguments = (joined.arguments ?? '') + call.arguments
      message.function_call = joined
    }
    if (delta.tool_calls !== undefined) {
      this.#calls ??= new FoldedCalls()
      this.#calls.add(delta.tool_calls)
    }
    this.#audio = addFields(this.#audio, audio, audioTexts)
    this.#messageFields = addFields(this.#messageFields, delta.provider_specific_fields)
  }

  #addLogprobs(added: Logprobs | null): void {
    if (added === null) {
      this.#logprobs ??= null
      return
    }
    this.#logprobs ??= { content: null, refusal: null }
    this.#logprobs.content = joinedTokens(this.#logprobs.content, added.content)
    this.#logprobs.refusal = joinedTokens(this.#logprobs.refusal, added.refusal)
  }
}

/** The members of a message's audio that arrive in pieces. */
const audioTexts: ReadonlySet<string> = new Set(['data', 'transcript'])

function joinedText(text: string | null | undefined, added: string | null): string | null {
  return added === null ? (text ?? null) : (text ?? '') + added
}

function addItems(message: FoldedMessage, name: ListName, items: readonly JsonObject[] | undefined): void {
  if (items === undefined) return
  message[name] ??= []
  const list = message[name]
  for (const item of items) list.push(item)
}

function joinedTokens(
  tokens: TokenLogprob[] | null,
  added: readonly TokenLogprob[] | null,
): TokenLogprob[] | null {
  if (added === null) return tokens
  const list = tokens ?? []
  for (const token of added) list.push(token)
  return list
}

/** The members of a JSON object that arrive in pieces. Without a prototype: `__proto__` is a name as any other. */
type FoldedFields = Record<string, JsonValue | undefined>

/**
 * Adds members: a later value replaces an earlier one of its name.
 *
 * @param joined - the names whose texts are joined instead.
 */
function addFields(
  members: FoldedFields | undefined,
  added: JsonObject | undefined,
  joined?: ReadonlySet<string>,
): FoldedFields | undefined {
  if (added === undefined) return members
  const all = members ?? (Object.create(null) as FoldedFields)
  for (const [name, value] of Object.entries(added)) {
    const before = joined?.has(name) === true ? all[name] : undefined
    all[name] = typeof before === 'string' && typeof value === 'string' ? before + value : value
  }
  return all
}

/** A tool call while its parts are folded. */
interface FoldedCall extends Writable<Omit<PartialToolCall, 'index' | 'function' | 'custom'>> {
  function?: Writable<NonNullable<PartialToolCall['function']>>
  custom?: Writable<NonNullable<PartialToolCall['custom']>>
}

/** The tool calls of a choice. Parts are assigned as in a stream: see `ToolCalls` in `normalization/tool-calls.ts`. */
class FoldedCalls {
  readonly list: FoldedCall[] = []
  readonly #byIndex = new Map<number, FoldedCall>()
  readonly #byId = new Map<string, FoldedCall>()

  add(parts: readonly PartialToolCall[]): void {
    for (const part of parts) {
      const call = this.#find(part) ?? this.#begin(part)
      const { id, type, function: called, custom, extra_content: extra } = part
      if (id !== undefined && !call.id) {
        call.id = id
        if (id !== '') this.#byId.set(id, call)
      }
      if (type !== undefined) call.type = type
      if (called !== undefined) {
        call.function ??= {}
        if (called.name !== undefined) call.function.name ||= called.name
        if (called.arguments !== undefined)
          call.function.arguments = (call.function.arguments ?? '') + called.arguments
      }
      if (custom !== undefined) {
        call.custom ??= {}
        if (custom.name !== undefined) call.custom.name ||= custom.name
        if (custom.input !== undefined) call.custom.input = (call.custom.input ?? '') + custom.input
      }
      if (extra !== undefined) call.extra_content = extra
    }
  }

  #find(part: PartialToolCall): FoldedCall | undefined {
    const { index, id } = part
    const name = nameOf(part)
    if (index !== undefined) {
      const call = this.#byIndex.get(index)
      if (call !== undefined && (!id || id === call.id || isFilledBy(call, part))) return call
      if (!id || (call === undefined && name !== undefined)) return undefined
    }
    if (id) return this.#byId.get(id)
    return name === undefined ? this.list.at(-1) : undefined
  }

  #begin({ index }: PartialToolCall): FoldedCall {
    const call: FoldedCall = {}
    this.list.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    return call
  }
}

/** Whether a part brings the missing id of a call with its index. */
function isFilledBy(call: FoldedCall, part: PartialToolCall): boolean {
  if (call.id) return false
  const name = nameOf(part)
  const known = nameOf(call)
  return name === undefined || (!textOf(call) && (!known || known === name))
}

function nameOf(part: PartialToolCall): string | undefined {
  return part.function?.name ?? part.custom?.name
}

function textOf(part: PartialToolCall): string | undefined {
  return part.function?.arguments ?? part.custom?.input
}

/** Returns a complete answer as chunks: one for each choice, with its calls numbered, then what belongs to all of them. */
export function chunksOfCompletion(completion: PartialCompletion): readonly PartialChunk[] {
  const { choices, ...origin } = completion
  const chunks = choices.map(
    ({ message, ...choice }): PartialChunk => ({
      choices: [
        {
          ...choice,
          delta: { ...message, ...(message.tool_calls && { tool_calls: message.tool_calls.map(numbered) }) },
        },
      ],
    }),
  )
  return [...chunks, { choices: [], ...origin }]
}

function numbered(call: PartialToolCall, index: number): PartialToolCall {
  return { ...call, index }
}
