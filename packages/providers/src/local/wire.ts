import type { AnswerCall, AnswerChoice, Completion } from './completion.ts'
import { logprobsOf } from './logprobs.ts'
import { usageBody } from './usage.ts'

const fingerprint = 'local-not-a-language-model'

/** What all parts of an answer have in common. */
export interface AnswerHead {
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  readonly model: string
}

/** One event of a stream, complete with its framing. */
export interface WireEvent {
  readonly text: string
  /** A `piece` carries some of the answer: it is these that are paced and counted. */
  readonly kind: 'opening' | 'piece' | 'closing'
}

/** An answer as the JSON text of a `chat.completion` (protocol section 2). */
export function completionJson(completion: Completion, { id, created, model }: AnswerHead): string {
  return JSON.stringify({
    id,
    object: 'chat.completion',
    created,
    model,
    choices: completion.choices.map((choice, index) => ({
      index,
      message: messageOf(choice),
      logprobs: logprobsBody(choice.content?.join(''), choice.refusal?.join(''), completion.topLogprobs),
      finish_reason: choice.finishReason,
    })),
    ...(completion.usage === null ? {} : { usage: usageBody(completion.usage) }),
    service_tier: 'default',
    system_fingerprint: fingerprint,
  })
}

/**
 * An answer as the events of a stream (protocol section 3), the choices in turn. It is written as it is read.
 * `includeUsage` adds the chunk with the counts.
 */
export function* completionEvents(
  completion: Completion,
  head: AnswerHead,
  includeUsage: boolean,
): Generator<WireEvent> {
  const { id, created, model } = head
  const shared = JSON.stringify({
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    service_tier: 'default',
    system_fingerprint: fingerprint,
  }).slice(0, -1)
  const tail = includeUsage ? ',"usage":null}\n\n' : '}\n\n'
  const choices = completion.choices.map((choice, index) => {
    const opening = `data: ${shared},"choices":[{"index":${index},"delta":`
    return choiceEvents(choice, opening, tail, completion.topLogprobs)
  })
  for (let running = choices; running.length > 0; ) {
    const next: typeof running = []
    for (const choice of running) {
      const { value, done } = choice.next()
      if (done) continue
      yield value
      next.push(choice)
    }
    running = next
  }
  if (includeUsage && completion.usage !== null) {
    yield {
      text: `data: ${shared},"choices":[],"usage":${JSON.stringify(usageBody(completion.usage))}}\n\n`,
      kind: 'closing',
    }
  }
  yield { text: 'data: [DONE]\n\n', kind: 'closing' }
}

function* choiceEvents(
  choice: AnswerChoice,
  opening: string,
  tail: string,
  top: number | undefined,
): Generator<WireEvent> {
  const event = (delta: string, kind: WireEvent['kind'], logprobs = 'null', finish = 'null'): WireEvent => ({
    text: `${opening}${delta},"logprobs":${logprobs},"finish_reason":${finish}}]${tail}`,
    kind,
  })
  const calls = choice.calls ?? []
  const { content, refusal, reasoning, functionCall } = choice
  const alone = content === undefined && refusal === undefined && reasoning === undefined
  const opened = alone && (functionCall !== undefined || calls.length === 1)
  yield event(openingDelta(choice, opened), 'opening')
  for (const piece of reasoning ?? []) yield event(`{"reasoning_content":${JSON.stringify(piece)}}`, 'piece')
  for (const piece of content ?? [])
    yield event(`{"content":${JSON.stringify(piece)}}`, 'piece', logprobsText(piece, undefined, top))
  for (const piece of refusal ?? [])
    yield event(`{"refusal":${JSON.stringify(piece)}}`, 'piece', logprobsText(undefined, piece, top))
  if (functionCall !== undefined) {
    if (!opened)
      yield event(JSON.stringify({ function_call: { name: functionCall.name, arguments: '' } }), 'opening')
    for (const piece of functionCall.input)
      yield event(`{"function_call":{"arguments":${JSON.stringify(piece)}}}`, 'piece')
  }
  for (const [index, call] of calls.entries()) {
    if (!opened) yield event(JSON.stringify({ tool_calls: [callStart(call, index)] }), 'opening')
    const key = call.type === 'function' ? '"function":{"arguments":' : '"custom":{"input":'
    for (const piece of call.input)
      yield event(`{"tool_calls":[{"index":${index},${key}${JSON.stringify(piece)}}}]}`, 'piece')
  }
  yield event('{}', 'closing', 'null', JSON.stringify(choice.finishReason))
}

function openingDelta(
  { content, refusal, reasoning, calls, functionCall }: AnswerChoice,
  opened: boolean,
): string {
  if (opened && functionCall) {
    return JSON.stringify({
      role: 'assistant',
      content: null,
      function_call: { name: functionCall.name, arguments: '' },
      refusal: null,
    })
  }
  if (opened && calls?.[0]) {
    return JSON.stringify({
      role: 'assistant',
      content: null,
      tool_calls: [callStart(calls[0], 0)],
      refusal: null,
    })
  }
  if (content !== undefined || reasoning !== undefined)
    return '{"role":"assistant","content":"","refusal":null}'
  return refusal === undefined
    ? '{"role":"assistant","content":null}'
    : '{"role":"assistant","content":null,"refusal":""}'
}

function callStart({ type, id, name }: AnswerCall, index: number): Readonly<Record<string, unknown>> {
  return type === 'function'
    ? { index, id, type, function: { name, arguments: '' } }
    : { index, id, type, custom: { name, input: '' } }
}

function messageOf({
  content,
  refusal,
  reasoning,
  calls,
  functionCall,
}: AnswerChoice): Readonly<Record<string, unknown>> {
  return {
    role: 'assistant',
    content: content === undefined ? null : content.join(''),
    refusal: refusal === undefined ? null : refusal.join(''),
    annotations: [],
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning.join('') }),
    ...(calls === undefined || calls.length === 0 ? {} : { tool_calls: calls.map(callBody) }),
    ...(functionCall === undefined
      ? {}
      : { function_call: { name: functionCall.name, arguments: functionCall.input.join('') } }),
  }
}

function callBody({ type, id, name, input }: AnswerCall): Readonly<Record<string, unknown>> {
  return type === 'function'
    ? { id, type, function: { name, arguments: input.join('') } }
    : { id, type, custom: { name, input: input.join('') } }
}

function logprobsText(
  content: string | undefined,
  refusal: string | undefined,
  top: number | undefined,
): string {
  return top === undefined ? 'null' : JSON.stringify(logprobsBody(content, refusal, top))
}

function logprobsBody(content: string | undefined, refusal: string | undefined, top: number | undefined) {
  if (top === undefined) return null
  return {
    content: content === undefined ? null : logprobsOf(content, top),
    refusal: refusal === undefined ? null : logprobsOf(refusal, top),
  }
}
