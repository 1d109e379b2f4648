import type {
  PartialChoice,
  PartialChunk,
  PartialCompletion,
  PartialMessage,
  PartialToolCall,
  PartialUsage,
} from '../contracts/provider.ts'
import type { FinishReason, JsonObject, Logprobs, TokenLogprob } from '../protocol/chat.ts'

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** Its lists are its own, so that they may grow. */
type FoldedMessage = Writable<PartialMessage> & {
  tool_calls?: PartialToolCall[]
  reasoning_details?: JsonObject[]
  annotations?: JsonObject[]
  citations?: JsonObject[]
}

interface FoldedLogprobs extends Logprobs {
  content: TokenLogprob[] | null
  refusal: TokenLogprob[] | null
}

/** A choice while its chunks are folded. */
interface FoldedChoice {
  readonly index: number
  readonly message: FoldedMessage
  readonly calls: Map<string | number, number>
  logprobs: FoldedLogprobs | undefined
  finish_reason: FinishReason | null
}

/**
 * Returns the chunks of a complete answer by choice: its texts are joined, and the parts of each tool call.
 *
 * A part of a tool call belongs to the call with its `index`, else with its `id`, else to the last call.
 */
export function foldChunks(chunks: readonly PartialChunk[]): PartialCompletion {
  const byIndex = new Map<number, FoldedChoice>()
  const completion: Writable<PartialCompletion> & { usage?: PartialUsage } = { choices: [] }
  for (const { choices, usage, model, service_tier, system_fingerprint } of chunks) {
    if (usage !== undefined) completion.usage = { ...completion.usage, ...usage }
    if (model !== undefined) completion.model = model
    if (service_tier !== undefined) completion.service_tier = service_tier
    if (system_fingerprint != null) completion.system_fingerprint = system_fingerprint
    for (const { index, delta, logprobs, finish_reason } of choices) {
      let choice = byIndex.get(index)
      if (choice === undefined) {
        choice = { index, message: {}, calls: new Map(), logprobs: undefined, finish_reason: null }
        byIndex.set(index, choice)
      }
      addDelta(choice, delta)
      if (logprobs != null) {
        choice.logprobs ??= { content: null, refusal: null }
        addLogprobs(choice.logprobs, logprobs)
      }
      if (finish_reason != null && (choice.finish_reason ?? 'stop') === 'stop') {
        choice.finish_reason = finish_reason
      }
    }
  }
  completion.choices = Array.from(byIndex.values(), foldedChoice)
  return completion
}

function foldedChoice({ index, message, logprobs, finish_reason }: FoldedChoice): PartialChoice {
  return logprobs === undefined
    ? { index, message, finish_reason }
    : { index, message, logprobs, finish_reason }
}

function addDelta({ message, calls }: FoldedChoice, delta: PartialMessage): void {
  const { content, refusal, reasoning_content: reasoning, function_call: call } = delta
  if (content != null) message.content = (message.content ?? '') + content
  if (refusal != null) message.refusal = (message.refusal ?? '') + refusal
  if (reasoning !== undefined) message.reasoning_content = (message.reasoning_content ?? '') + reasoning
  append(message, 'reasoning_details', delta.reasoning_details)
  append(message, 'annotations', delta.annotations)
  append(message, 'citations', delta.citations)
  if (call !== undefined) {
    const { name = '', arguments: text = '' } = message.function_call ?? {}
    message.function_call = { name: name + (call.name ?? ''), arguments: text + (call.arguments ?? '') }
  }
  if (delta.audio !== undefined) message.audio = { ...message.audio, ...delta.audio }
  for (const part of delta.tool_calls ?? []) addCall(message, calls, part)
}

function append(
  message: FoldedMessage,
  name: 'reasoning_details' | 'annotations' | 'citations',
  items: readonly JsonObject[] | undefined,
): void {
  if (items !== undefined) message[name] = extended(message[name], items)
}

function addCall(
  message: FoldedChoice['message'],
  places: FoldedChoice['calls'],
  part: PartialToolCall,
): void {
  message.tool_calls ??= []
  const list = message.tool_calls
  const key = part.index ?? part.id
  const at = key === undefined ? list.length - 1 : places.get(key)
  const known = at === undefined ? undefined : list[at]
  if (at === undefined || known === undefined) {
    if (key !== undefined) places.set(key, list.length)
    list.push(part)
    return
  }
  list[at] = joinedCall(known, part)
}

function joinedCall(call: PartialToolCall, part: PartialToolCall): PartialToolCall {
  const joined: Writable<PartialToolCall> = { ...call, ...part }
  if (call.function !== undefined || part.function !== undefined) {
    joined.function = joinedTexts(call.function, part.function, 'arguments')
  }
  if (call.custom !== undefined || part.custom !== undefined) {
    joined.custom = joinedTexts(call.custom, part.custom, 'input')
  }
  return joined
}

function joinedTexts<Text extends 'arguments' | 'input'>(
  one: { readonly [Name in 'name' | Text]?: string } | undefined,
  other: { readonly [Name in 'name' | Text]?: string } | undefined,
  text: Text,
): { readonly [Name in 'name' | Text]?: string } {
  return {
    name: other?.name ?? one?.name,
    [text]: (one?.[text] ?? '') + (other?.[text] ?? ''),
  } as { readonly [Name in 'name' | Text]?: string }
}

function addLogprobs(folded: FoldedLogprobs, { content, refusal }: Logprobs): void {
  if (content !== null) folded.content = extended(folded.content, content)
  if (refusal !== null) folded.refusal = extended(folded.refusal, refusal)
}

/** Returns the list with further items. They are added to it: a copy for each chunk would take quadratic time. */
function extended<T>(list: T[] | null | undefined, items: readonly T[]): T[] {
  const all = list ?? []
  for (const item of items) all.push(item)
  return all
}

/** Returns a complete answer as chunks: of each choice its reasoning, its text, its calls, and why it ended. */
export function chunksOfCompletion(completion: PartialCompletion): readonly PartialChunk[] {
  const { choices, ...origin } = completion
  const chunks = choices.map(
    ({ index, message, logprobs, finish_reason }): PartialChunk => ({
      choices: [
        {
          index,
          delta: { ...message, ...(message.tool_calls && { tool_calls: message.tool_calls.map(numbered) }) },
          ...(logprobs !== undefined && { logprobs }),
          ...(finish_reason !== undefined && { finish_reason }),
        },
      ],
    }),
  )
  return [...chunks, { choices: [], ...origin }]
}

function numbered(call: PartialToolCall, index: number): PartialToolCall {
  return { ...call, index: call.index ?? index }
}
