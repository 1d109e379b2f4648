import type { ChatRequest, PartialUsage } from '@sluice/core/provider'
import type { Choice, ChoiceCall, Completion } from './completion.ts'
import { hash } from './hash.ts'
import type { FakeError } from './script.ts'
import { splitTokens } from './tokens.ts'

/** A part of a response's text: an event of a stream with its framing, or a half of a JSON body. */
export interface WireEvent {
  readonly text: string
  /** A `piece` carries some of the answer: pace and faults count these. */
  readonly kind: 'opening' | 'piece' | 'closing'
}

const origin = { service_tier: 'default', system_fingerprint: 'local-not-a-language-model' }

/** Writes the body of an error, always with its four keys. */
export function errorBody({ status = 500, type, code = null, param = null, ...rest }: FakeError): string {
  const { message = `The script of local() answers with status ${status}.` } = rest
  const clientType = status === 429 ? 'requests' : 'invalid_request_error'
  const serverType = status === 503 ? 'service_unavailable_error' : 'server_error'
  const defaultType = status < 500 ? clientType : serverType
  return JSON.stringify({ error: { message, type: type ?? defaultType, param, code } })
}

/** A JSON body in halves: a fault comes between them. */
export function* jsonEvents(json: string): Generator<WireEvent> {
  yield { kind: 'opening', text: json.slice(0, json.length >> 1) }
  yield { kind: 'closing', text: json.slice(json.length >> 1) }
}

/** Writes an answer as a `chat.completion`. */
export function completionJson(completion: Completion, request: ChatRequest): string {
  const { id, created, model, usage } = completion
  const choices = completion.choices.map((choice, index) => ({
    index,
    message: messageOf(choice),
    logprobs: logprobsOf(request, choice.content?.join(''), choice.refusal?.join('')),
    finish_reason: choice.finishReason,
  }))
  const counts = usage === null ? {} : { usage: usageBody(usage) }
  return JSON.stringify({ id, object: 'chat.completion', created, model, choices, ...counts, ...origin })
}

/** Writes an answer as the events of a stream, as they are read; the choices take turns. */
export function* completionEvents(completion: Completion, request: ChatRequest): Generator<WireEvent> {
  const { id, created, model, choices, usage } = completion
  const head = { id, object: 'chat.completion.chunk', created, model, ...origin }
  const includesUsage = request.stream_options?.include_usage === true
  const running = new Map(choices.map((choice, index) => [index, deltasOf(choice, request)]))
  while (running.size > 0) {
    for (const [index, deltas] of running) {
      const { value, done } = deltas.next()
      if (done) running.delete(index)
      if (done) continue
      const { kind, delta, logprobs = null, finish_reason = null } = value
      const chunk = { ...head, choices: [{ index, delta, logprobs, finish_reason }] }
      const json = JSON.stringify(includesUsage ? { ...chunk, usage: null } : chunk)
      yield { kind, text: `data: ${json}\n\n` }
    }
  }
  const counts = usage === null ? null : { ...head, choices: [], usage: usageBody(usage) }
  if (includesUsage && counts) yield { kind: 'closing', text: `data: ${JSON.stringify(counts)}\n\n` }
  yield { kind: 'closing', text: 'data: [DONE]\n\n' }
}

type Delta = Pick<WireEvent, 'kind'> & { delta: object; logprobs?: object | null; finish_reason?: string }

function* deltasOf(choice: Choice, request: ChatRequest): Generator<Delta> {
  const { reasoning = [], content, refusal, calls, finishReason } = choice
  const emptyContent = content === undefined && reasoning.length === 0 ? null : ''
  const emptyRefusal = refusal === undefined ? null : ''
  yield { kind: 'opening', delta: { role: 'assistant', content: emptyContent, refusal: emptyRefusal } }
  for (const piece of reasoning) yield { kind: 'piece', delta: { reasoning_content: piece } }
  for (const piece of content ?? [])
    yield { kind: 'piece', delta: { content: piece }, logprobs: logprobsOf(request, piece, undefined) }
  for (const piece of refusal ?? [])
    yield { kind: 'piece', delta: { refusal: piece }, logprobs: logprobsOf(request, undefined, piece) }
  for (const [index, call] of calls.entries()) {
    const { id, type, name } = call
    const deltaOf = (start: object, body: object) =>
      type === 'function_call' ? { function_call: body } : { tool_calls: [{ index, ...start, [type]: body }] }
    yield { kind: 'opening', delta: deltaOf({ id, type }, { name, ...inputOf(call, '') }) }
    for (const piece of call.input) yield { kind: 'piece', delta: deltaOf({}, inputOf(call, piece)) }
  }
  yield { kind: 'closing', delta: {}, finish_reason: finishReason }
}

function messageOf({ content, refusal, reasoning, calls }: Choice): object {
  const bodyOf = (call: ChoiceCall) => ({ name: call.name, ...inputOf(call, call.input.join('')) })
  const toolCalls = calls.filter(({ type }) => type !== 'function_call')
  const functionCall = calls.find(({ type }) => type === 'function_call')
  const written = toolCalls.map(call => ({ id: call.id, type: call.type, [call.type]: bodyOf(call) }))
  return {
    role: 'assistant',
    content: content?.join('') ?? null,
    refusal: refusal?.join('') ?? null,
    annotations: [],
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning.join('') }),
    ...(written.length === 0 ? {} : { tool_calls: written }),
    ...(functionCall === undefined ? {} : { function_call: bodyOf(functionCall) }),
  }
}

function inputOf({ type }: ChoiceCall, text: string): object {
  return type === 'custom' ? { input: text } : { arguments: text }
}

/** Counts in the shape of the chat completions API, 0 where nothing is known. */
function usageBody(usage: PartialUsage): object {
  const { prompt_tokens = 0, completion_tokens = 0, cached_tokens = 0, cache_write_tokens } = usage
  const { reasoning_tokens = 0, accepted_prediction_tokens = 0, rejected_prediction_tokens = 0 } = usage
  const { prompt_audio_tokens = 0, completion_audio_tokens = 0 } = usage
  const predicted = { accepted_prediction_tokens, rejected_prediction_tokens }
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens, audio_tokens: prompt_audio_tokens, cache_write_tokens },
    completion_tokens_details: { reasoning_tokens, audio_tokens: completion_audio_tokens, ...predicted },
  }
}

const encoder = new TextEncoder()

/** Made up: always the same for a token, with alternatives that become less likely and sum to less than 1. */
function logprobsOf(
  request: ChatRequest,
  content: string | undefined,
  refusal: string | undefined,
): object | null {
  const { logprobs, top_logprobs: count = 0 } = request
  if (logprobs !== true) return null
  const entryOf = (token: string) => {
    const probability = 0.5 + (hash(token) % 4_900) / 10_000
    const entries = Array.from({ length: Math.max(1, count) }, (_, rank) => {
      const text = rank === 0 ? token : `${token}${rank}`
      const logprob = Math.log(rank === 0 ? probability : (1 - probability) / 2 ** rank)
      return { token: text, logprob: Number(logprob.toFixed(6)), bytes: [...encoder.encode(text)] }
    })
    return { ...entries[0], top_logprobs: entries.slice(0, count) }
  }
  const listOf = (text?: string) => (text === undefined ? null : splitTokens(text).map(entryOf))
  return { content: listOf(content), refusal: listOf(refusal) }
}
