import { type Steps, sse, steps } from '@sluice/testing'
import { failureAsked, type Plan, planFor, wordsOf } from '../plan.ts'
import type { ChatBody } from './chat-request.ts'
import { heardChat } from './heard-chat.ts'

const finishReasons = {
  done: 'stop',
  'stop sequence': 'stop',
  length: 'length',
  calls: 'tool_calls',
} as const

/** What differs between the hosts of the protocol. */
export interface Host {
  /** Words for a status: the code of its errors. */
  readonly overloaded: object
  /** Put into every choice, and before a stream's first one. */
  readonly filter?: object
}

let made = 0

/** Answers a request that was found right, or fails as it asks for. */
export function answerChat(body: ChatBody, { filter, overloaded }: Host): Steps {
  const heard = heardChat(body)
  const failing = failureAsked(heard)
  const headers = { 'x-request-id': 'req_standin' }
  switch (failing) {
    case 'context':
      return chatError(
        400,
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 208310 tokens. Please reduce the length of the messages.",
        { code: 'context_length_exceeded', param: 'messages' },
      )
    case 'rate':
      return chatError(
        429,
        'Rate limit reached for requests.',
        { type: 'requests', code: 'rate_limit_exceeded' },
        7,
      )
    case 'overloaded':
      return steps.reply({ error: overloaded }, { status: 503 })
    case 'first':
      return steps.stream(sse([{ error: overloaded }], { done: false }))
  }
  const plan = planFor(heard)
  const identity = { id: 'chatcmpl-StandIn', created: 1_764_500_138, model: `${body.model}-2024-07-18` }
  if (body.stream !== true) return steps.reply({ ...whole(plan, filter), ...identity }, { headers })
  const counted = body.stream_options?.include_usage === true
  const events = chunks(plan, counted, filter).map(chunk => ({ ...identity, ...chunk }))
  if (failing === 'midway')
    return steps.stream(sse([...events.slice(0, 3), { error: overloaded }], { done: false }))
  return steps.stream(sse(events), { headers })
}

/** An error as OpenAI tells it. */
export function chatError(status: number, message: string, fields: object = {}, wait?: number): Steps {
  const error = { message, type: 'invalid_request_error', param: null, code: null, ...fields }
  return steps.reply(
    { error },
    { status, headers: wait === undefined ? {} : { 'retry-after': String(wait) } },
  )
}

function whole(plan: Plan, filter: object | undefined): object {
  const calls = callsOf(plan)
  return {
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: plan.text === '' ? null : plan.text,
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
          refusal: null,
          annotations: [],
        },
        logprobs: null,
        finish_reason: finishReasons[plan.end],
        ...(filter === undefined ? {} : { content_filter_results: filter }),
      },
    ],
    ...(filter === undefined
      ? {}
      : { prompt_filter_results: [{ prompt_index: 0, content_filter_results: filter }] }),
    usage: usageOf(plan),
    service_tier: 'default',
    system_fingerprint: 'fp_50906f2aac',
  }
}

function chunks(plan: Plan, counted: boolean, filter: object | undefined): object[] {
  const shared = {
    object: 'chat.completion.chunk',
    service_tier: 'default',
    system_fingerprint: 'fp_50906f2aac',
    ...(counted ? { usage: null } : {}),
    obfuscation: 'LPXc94h4G',
  }
  const filtered = filter === undefined ? {} : { content_filter_results: filter }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...shared,
    choices: [{ index: 0, delta, logprobs: null, finish_reason, ...filtered }],
  })
  const calls = callsOf(plan)
  const content = calls.length > 0 ? null : ''
  const filterFirst = {
    choices: [],
    created: 0,
    id: '',
    model: '',
    object: '',
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: filter }],
  }
  return [
    ...(filter === undefined ? [] : [filterFirst]),
    chunk({ role: 'assistant', content, refusal: null }),
    ...wordsOf(plan.text).map(word => chunk({ content: word })),
    ...calls.flatMap(({ function: made, ...call }, index) => [
      chunk({ tool_calls: [{ index, ...call, function: { ...made, arguments: '' } }] }),
      ...[made.arguments.slice(0, 7), made.arguments.slice(7)].map(piece =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, finishReasons[plan.end]),
    ...(counted ? [{ ...shared, choices: [], usage: usageOf(plan) }] : []),
  ]
}

function callsOf({ calls }: Plan) {
  return calls.map(({ name, input }) => ({
    id: `call_StandIn${++made}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
}

function usageOf({ usage }: Plan): object {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.output,
    total_tokens: usage.prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.thinking,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
