import type { FinishReason, Usage } from '@sluice/core'
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChunkChoice,
  Delta,
  FunctionToolCall,
} from '@sluice/core/provider'

/** A tool call of a response. */
export interface ToolCallContent {
  readonly name: string
  /** JSON text, or an object to write as JSON. Default: `{}`. */
  readonly arguments?: string | object
  /** Default: `call_0`, `call_1`, ... */
  readonly id?: string
}

/** The content of one choice. */
export interface ChoiceContent {
  /** Default: `Hello`, or `null` if there are tool calls or a refusal. */
  readonly text?: string | null
  readonly refusal?: string
  readonly toolCalls?: readonly ToolCallContent[]
  /** Default: `tool_calls` if there are tool calls, else `stop`. */
  readonly finishReason?: FinishReason
}

/** The content of a response: one choice, or several under `choices`. */
export interface AnswerContent extends ChoiceContent {
  readonly choices?: readonly ChoiceContent[]
  /** Default: `chatcmpl-upstream`. */
  readonly id?: string
  /** Unix time, in seconds. Default: 1700000000. */
  readonly created?: number
  /** Default: `upstream-model`. */
  readonly model?: string
  readonly usage?: Usage
}

/** Returns the `usage` of a completion, in tokens. `total_tokens` is the sum of `prompt` and `completion`. */
export function usage(prompt: number, completion: number, cached = 0, reasoning = 0): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** Returns a chat completion that is not streamed. Its `usage` is `usage(9, 12)` by default. */
export function completion(content: AnswerContent = {}): ChatCompletion {
  return {
    id: content.id ?? 'chatcmpl-upstream',
    object: 'chat.completion',
    created: content.created ?? 1_700_000_000,
    model: content.model ?? 'upstream-model',
    choices: (content.choices ?? [content]).map((choice, index) => ({
      index,
      message: {
        role: 'assistant',
        content: textOf(choice),
        refusal: choice.refusal ?? null,
        annotations: [],
        ...(choice.toolCalls ? { tool_calls: choice.toolCalls.map(toolCall) } : {}),
      },
      logprobs: null,
      finish_reason: finishOf(choice),
    })),
    usage: content.usage ?? usage(9, 12),
    service_tier: 'default',
    system_fingerprint: null,
  }
}

/**
 * Returns the chunks of a streamed chat completion: one for each word of text, two for the arguments of a tool call. Several
 * choices take turns. If `content` has `usage`, each chunk has the key, and a last chunk has the counts.
 */
export function chunks(content: AnswerContent = {}): ChatCompletionChunk[] {
  const chunk = (choices: readonly ChunkChoice[], counts: Usage | null): ChatCompletionChunk => ({
    id: content.id ?? 'chatcmpl-upstream',
    object: 'chat.completion.chunk',
    created: content.created ?? 1_700_000_000,
    model: content.model ?? 'upstream-model',
    service_tier: 'default',
    system_fingerprint: null,
    choices,
    ...(content.usage ? { usage: counts } : {}),
  })
  const list = interleave((content.choices ?? [content]).map(choiceChunks)).map(choice =>
    chunk([choice], null),
  )
  return content.usage ? [...list, chunk([], content.usage)] : list
}

/**
 * Returns server-sent events as wire text, each with one `data:` line, and `data: [DONE]` at the end.
 * @param list objects are written as JSON, strings as they are
 * @param options.done `false` leaves out `[DONE]`
 * @param options.eol the line end; LF by default
 */
export function sse(
  list: readonly (string | object)[],
  options: { readonly done?: boolean; readonly eol?: '\n' | '\r\n' | '\r' } = {},
): string[] {
  const eol = options.eol ?? '\n'
  const data = list.map(item => (typeof item === 'string' ? item : JSON.stringify(item)))
  return (options.done === false ? data : [...data, '[DONE]']).map(text => `data: ${text}${eol}${eol}`)
}

function choiceChunks(choice: ChoiceContent, index: number): ChunkChoice[] {
  const text = textOf(choice)
  const opening: Delta =
    text === null ? { role: 'assistant', content: null } : { role: 'assistant', content: '', refusal: null }
  const deltas: Delta[] = [choice.refusal === undefined ? opening : { ...opening, refusal: '' }]
  for (const word of text?.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? []) deltas.push({ content: word })
  if (choice.refusal) deltas.push({ refusal: choice.refusal })
  for (const [slot, call] of (choice.toolCalls ?? []).map(toolCall).entries())
    deltas.push(...callDeltas(call, slot))
  const finish: ChunkChoice = { index, delta: {}, logprobs: null, finish_reason: finishOf(choice) }
  return [...deltas.map(delta => ({ index, delta, logprobs: null, finish_reason: null })), finish]
}

function callDeltas(call: FunctionToolCall, index: number): Delta[] {
  const { name, arguments: json } = call.function
  const half = Math.ceil(json.length / 2)
  const pieces = [json.slice(0, half), json.slice(half)].filter(piece => piece !== '')
  return [
    { tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] },
    ...pieces.map(piece => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}

function toolCall(call: ToolCallContent, index: number): FunctionToolCall {
  const given = call.arguments ?? {}
  const json = typeof given === 'string' ? given : JSON.stringify(given)
  return { id: call.id ?? `call_${index}`, type: 'function', function: { name: call.name, arguments: json } }
}

function textOf(choice: ChoiceContent): string | null {
  if (choice.text !== undefined) return choice.text
  return choice.toolCalls || choice.refusal !== undefined ? null : 'Hello'
}

function finishOf(choice: ChoiceContent): FinishReason {
  return choice.finishReason ?? (choice.toolCalls ? 'tool_calls' : 'stop')
}

function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(list => list.length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap(list => list.slice(at, at + 1))).flat()
}
