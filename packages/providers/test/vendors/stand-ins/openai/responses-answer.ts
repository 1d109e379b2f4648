import { type Steps, steps } from '@sluice/testing'
import { failureAsked, type Plan, planFor, wordsOf } from '../plan.ts'
import { chatError } from './chat-answer.ts'
import { encrypted } from './encrypted.ts'
import { heardResponses } from './heard-responses.ts'
import type { ResponsesBody } from './responses-request.ts'

let made = 0

/** An event of a stream, with its name. */
export interface ResponsesEvent {
  readonly name: string
  readonly payload: object
}

/** What a request asks for beyond its answer. */
export interface Shown {
  readonly summary: boolean
  readonly encrypted: boolean
}

/** Answers a request that was found right, or fails as it asks for. */
export function answerResponses(body: ResponsesBody, overloaded: object): Steps {
  const heard = heardResponses(body)
  const failing = failureAsked(heard)
  const headers = { 'x-request-id': 'req_standin' }
  switch (failing) {
    case 'context':
      return chatError(
        400,
        'Your input exceeds the context window of this model. Please adjust your input and try again.',
        { code: 'context_length_exceeded', param: 'input' },
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
  }
  const shown = {
    summary: body.reasoning?.summary !== undefined,
    encrypted: body.include?.includes('reasoning.encrypted_content') === true,
  }
  const model = `${body.model}-2025-08-07`
  const plan = planFor(heard)
  if (body.stream !== true) return steps.reply(response(plan, shown, model), { headers })
  const events = responseEvents(plan, shown, model)
  const failed = {
    name: 'response.failed',
    payload: {
      type: 'response.failed',
      response: { status: 'failed', error: { ...overloaded, code: 'server_is_overloaded' }, output: [] },
    },
  }
  const sent =
    failing === 'first'
      ? [...events.slice(0, 2), failed]
      : failing === 'midway'
        ? [...events.slice(0, 8), failed]
        : events
  const text = sent.map(({ name, payload }) => `event: ${name}\ndata: ${JSON.stringify(payload)}\n\n`)
  return steps.stream(text, { headers })
}

type Item = { readonly type: string; readonly id: string; readonly [member: string]: unknown }

/** An answer by a plan. */
export function response(plan: Plan, shown: Shown, model = 'model'): object {
  return ended(plan, outputOf(plan, shown), model)
}

/** The same answer as the events of a stream. */
export function responseEvents(plan: Plan, shown: Shown, model = 'model'): readonly ResponsesEvent[] {
  const output = outputOf(plan, shown)
  const whole = ended(plan, output, model)
  const open = { ...whole, status: 'in_progress', output: [], usage: null }
  let sequence_number = 0
  const event = (name: string, value: object): ResponsesEvent => ({
    name,
    payload: { type: name, sequence_number: sequence_number++, ...value },
  })
  return [
    event('response.created', { response: open }),
    event('response.in_progress', { response: open }),
    ...output.flatMap((item, output_index) => itemEvents(item, output_index, event)),
    event(plan.end === 'length' ? 'response.incomplete' : 'response.completed', { response: whole }),
  ]
}

function itemEvents(
  item: Item,
  output_index: number,
  event: (name: string, value: object) => ResponsesEvent,
): readonly ResponsesEvent[] {
  const at = { output_index, item_id: item.id }
  const inPart = { ...at, content_index: 0 }
  const middle = (): ResponsesEvent[] => {
    const [part] = (item.content ?? item.summary ?? []) as readonly { readonly text: string }[]
    switch (item.type) {
      case 'message':
        return [
          event('response.content_part.added', { ...inPart, part: { ...part, text: '' } }),
          ...wordsOf(part!.text).map(delta =>
            event('response.output_text.delta', { ...inPart, delta, logprobs: [] }),
          ),
          event('response.output_text.done', { ...inPart, text: part!.text, logprobs: [] }),
          event('response.content_part.done', { ...inPart, part }),
        ]
      case 'reasoning': {
        if (part === undefined) return []
        const inSummary = { ...at, summary_index: 0 }
        return [
          event('response.reasoning_summary_part.added', { ...inSummary, part: { ...part, text: '' } }),
          ...wordsOf(part.text).map(delta =>
            event('response.reasoning_summary_text.delta', { ...inSummary, delta }),
          ),
          event('response.reasoning_summary_text.done', { ...inSummary, text: part.text }),
          event('response.reasoning_summary_part.done', { ...inSummary, part }),
        ]
      }
      default: {
        const text = String(item.arguments)
        return [
          event('response.function_call_arguments.delta', { ...at, delta: text.slice(0, 7) }),
          event('response.function_call_arguments.delta', { ...at, delta: text.slice(7) }),
          event('response.function_call_arguments.done', { ...at, arguments: text }),
        ]
      }
    }
  }
  return [
    event('response.output_item.added', { output_index, item: begun(item) }),
    ...middle(),
    event('response.output_item.done', { output_index, item }),
  ]
}

function begun(item: Item): object {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] }
    case 'reasoning':
      return { ...item, summary: [] }
    default:
      return { ...item, status: 'in_progress', arguments: '' }
  }
}

function outputOf({ thinking, text, calls, end }: Plan, shown: Shown): readonly Item[] {
  const id = (prefix: string) => `${prefix}_standin${++made}`
  const items: Item[] = []
  if (thinking !== undefined) {
    const thought = { id: id('rs'), words: thinking }
    items.push({
      type: 'reasoning',
      id: thought.id,
      summary: shown.summary ? [{ type: 'summary_text', text: thinking }] : [],
      ...(shown.encrypted && { encrypted_content: encrypted(thought) }),
    })
  }
  if (text !== '') {
    const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
    const status = end === 'length' ? 'incomplete' : 'completed'
    items.push({ type: 'message', id: id('msg'), status, role: 'assistant', content })
  }
  for (const { name, input } of calls) {
    const called = { call_id: id('call'), name, arguments: JSON.stringify(input), status: 'completed' }
    items.push({ type: 'function_call', id: id('fc'), ...called })
  }
  return items
}

function ended({ end, usage }: Plan, output: readonly Item[], model: string): object {
  return {
    id: 'resp_standin',
    object: 'response',
    created_at: 1_764_500_138,
    status: end === 'length' ? 'incomplete' : 'completed',
    incomplete_details: end === 'length' ? { reason: 'max_output_tokens' } : null,
    error: null,
    model,
    output,
    service_tier: 'default',
    store: false,
    usage: {
      input_tokens: usage.prompt,
      input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.thinking },
      total_tokens: usage.prompt + usage.output,
    },
  }
}
