import { describe, expect, it } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import type { DiscardedCallEvent } from '../contracts/events.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { countedUsage } from '../usage/usage.ts'
import { chargeOf, discardedClosing } from './charge.ts'

const counted = (given: object) =>
  countedUsage(given, chatRequest({ model: 'm', messages: [] }), 0, true).usage

describe('chargeOf', () => {
  it('is the counts of a usage, and its price', () => {
    const usage = counted({ prompt_tokens: 9, completion_tokens: 4, cached_tokens: 3, reasoning_tokens: 2 })
    expect(chargeOf(usage, 0.5)).toEqual({
      promptTokens: 9,
      completionTokens: 4,
      cachedTokens: 3,
      reasoningTokens: 2,
      cost: 0.5,
    })
  })

  it('keeps a price that is not known apart from one of 0', () => {
    const usage = counted({ prompt_tokens: 0, completion_tokens: 0 })
    expect(chargeOf(usage, null).cost).toBeNull()
    expect(chargeOf(usage, 0).cost).toBe(0)
  })
})

const event: DiscardedCallEvent = {
  type: 'discarded_call',
  requestId: 'req_1',
  operation: 'generate',
  dialect: 'chat',
  principal: { id: 'ann', tags: { team: 'search' } },
  user: 'eve',
  model: 'small',
  attempt: {
    provider: 'vendor',
    model: 'up',
    called: true,
    startMs: 0,
    ms: 300,
    why: 'shadow',
    waitedMs: 0,
    status: undefined,
    error: undefined,
  },
  responseModel: 'up-2',
  usage: {
    prompt_tokens: 3,
    completion_tokens: 2,
    total_tokens: 5,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  },
  usageEstimated: false,
  cost: 0.5,
}
const beside = { id: 'id', stream: true, tags: { team: 'search' }, openedAt: 1_000, closedAt: 1_700 }
const charge = { promptTokens: 3, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0, cost: 0.5 }

/** The same with another error. */
const failed = (error: unknown, more: object = {}): DiscardedCallEvent => ({
  ...event,
  attempt: { ...event.attempt, error, ...more },
})

describe('unusedClosing', () => {
  it('is the whole record of a call, of the time of its request', () => {
    expect(discardedClosing(event, beside)).toEqual({
      entry: {
        kind: 'shadow',
        id: 'id',
        requestId: 'req_1',
        operation: 'generate',
        dialect: 'chat',
        principal: 'ann',
        source: undefined,
        user: 'eve',
        tags: { team: 'search' },
        model: 'small',
        stream: true,
        openedAt: 1_000,
        estimate: charge,
      },
      closedAt: 1_700,
      outcome: 'completed',
      status: 200,
      provider: 'vendor',
      upstreamModel: 'up',
      responseModel: 'up-2',
      attempts: 1,
      charge,
      estimated: false,
      firstByteMs: undefined,
      totalMs: 700,
    })
    const sourced = { ...event, principal: { id: 'ann', source: 'api_keys' } }
    expect(discardedClosing(sourced, beside)?.entry.source).toBe('api_keys')
  })

  it.each([
    [new LifeEnded('gateway_closed'), {}, 'client_disconnected', 499],
    [new UpstreamError('no', { kind: 'garbled' }), {}, 'upstream_failed', 502],
    [new UpstreamError('no', { kind: 'refused', status: 500 }), { status: 500 }, 'upstream_failed', 500],
  ])('tells how it ended: %s', (error, more, outcome, status) => {
    expect(discardedClosing(failed(error, more), beside)).toMatchObject({ outcome, status })
  })

  it.each(['first', 'retry', 'fallback', 'hedge'] as const)(
    'calls all but shadows a hedge: its request began as %s',
    why => {
      expect(discardedClosing(failed(undefined, { why }), beside)?.entry.kind).toBe('hedge')
    },
  )

  it('is nothing where the upstream did not take it', () => {
    expect(discardedClosing({ ...event, usage: undefined }, beside)).toBeUndefined()
  })
})
