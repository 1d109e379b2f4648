import { type Steps, steps } from '@sluice/testing'
import type { Heard } from '../heard.ts'
import { type Failing, failureAsked, planFor } from '../plan.ts'
import { event, message, messageEvents } from './message.ts'

/** Answers a request that was found right, or fails as it asks for. */
export function answerMessages(heard: Heard, model: string, streamed: boolean): Steps {
  const failing = failureAsked(heard)
  if (failing !== undefined) return failure(failing, heard, model)
  const plan = planFor(heard)
  const headers = { 'request-id': 'req_011StandIn' }
  return streamed
    ? steps.stream(messageEvents(plan, model), { headers })
    : steps.reply(message(plan, model), { headers })
}

/** An error as the Messages API tells it. */
export function messagesError(status: number, type: string, text: string, headers = {}): Steps {
  const body = { type: 'error', error: { type, message: text }, request_id: 'req_011StandIn' }
  return steps.reply(body, { status, headers })
}

function failure(failing: Failing, heard: Heard, model: string): Steps {
  const overloaded = event({
    type: 'error',
    error: { type: 'overloaded_error', message: 'Overloaded' },
  })
  switch (failing) {
    case 'context':
      return messagesError(400, 'invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum')
    case 'rate':
      return messagesError(
        429,
        'rate_limit_error',
        'This request would exceed the rate limit for your organization of 50 requests per minute.',
        { 'retry-after': '7' },
      )
    case 'overloaded':
      return messagesError(529, 'overloaded_error', 'Overloaded', { 'x-should-retry': 'true' })
    case 'first':
      return steps.stream([overloaded])
    case 'midway':
      return steps.stream([...messageEvents(planFor(heard), model).slice(0, 5), overloaded])
  }
}
