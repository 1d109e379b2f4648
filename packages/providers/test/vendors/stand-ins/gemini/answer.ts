import { type Steps, steps } from '@sluice/testing'
import { failureAsked, planFor } from '../plan.ts'
import type { GenerateRequest } from './generate-request.ts'
import { generated, generatedEvents, generateEvent } from './generated.ts'
import { heardGenerate } from './heard-generate.ts'
import type { ModelFacts } from './models.ts'

const sse = { headers: { 'content-type': 'text/event-stream' } }

/** How an answer is asked for: whole, as events, or (without `alt=sse`) as one array. */
export type Delivery = 'whole' | 'events' | 'array'

/** Answers a request that was found right, or fails as it asks for. */
export function answerGenerate(
  body: GenerateRequest,
  model: string,
  facts: ModelFacts,
  delivery: Delivery,
): Steps {
  const heard = heardGenerate(body)
  const tellsThoughts = body.generationConfig?.thinkingConfig?.includeThoughts === true
  const signs = facts.signatures || heard.thinks
  const failing = failureAsked(heard)
  const busy = {
    code: 503,
    message: 'The model is overloaded. Please try again later.',
    status: 'UNAVAILABLE',
  }
  switch (failing) {
    case 'context':
      return generateError(
        400,
        'The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).',
      )
    case 'rate':
      return generateError(429, 'You exceeded your current quota. Please retry in 6.4s.', [
        {
          '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
          violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier' }],
        },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '6.4s' },
      ])
    case 'overloaded':
      return generateError(503, busy.message)
    case 'first':
      return steps.stream([generateEvent({ error: busy })], sse)
  }
  const plan = planFor(heard)
  if (delivery === 'whole') return steps.reply(generated(plan, model, signs, tellsThoughts))
  const events = generatedEvents(plan, model, signs, tellsThoughts)
  if (delivery === 'array') return steps.reply(events)
  if (failing === 'midway')
    return steps.stream([...events.slice(0, 2), { error: busy }].map(generateEvent), sse)
  return steps.stream(events.map(generateEvent), sse)
}

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

/** An error as Google's services tell it. */
export function generateError(code: number, message: string, details: readonly object[] = []): Steps {
  return steps.reply({ error: { code, message, status: statuses[code], details } }, { status: code })
}
