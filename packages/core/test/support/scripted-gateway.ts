import { onTestFinished } from 'vitest'
import type { EndEvent, GatewayEvent } from '../../src/contracts/events.ts'
import type { PartialChunk, Provider, Reply, Target } from '../../src/contracts/provider.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { ChatRequest } from '../../src/protocol/chat.ts'
import { models } from '../../src/routing/models.ts'

export interface Scripted {
  readonly target: Target
  /** The signals of the calls so far. */
  readonly signals: AbortSignal[]
  readonly inputs: ChatRequest[]
}

/** A provider that answers in process: `answer` gets the call's signal and says what is decoded. */
export function scripted(
  answer: (signal: AbortSignal, index: number) => Reply | Promise<Reply>,
  more: Partial<Provider> = {},
): Scripted {
  const signals: AbortSignal[] = []
  const inputs: ChatRequest[] = []
  const provider: Provider = {
    name: 'scripted',
    encode: ({ input }) => {
      inputs.push(input)
      return { method: 'POST', url: 'scripted:', headers: {} }
    },
    transport: async (_request, signal) => {
      signals.push(signal)
      return { status: 200, headers: { get: () => null }, body: (async function* () {})() }
    },
    decode: () => answer(signals.at(-1)!, signals.length - 1),
    ...more,
  }
  return { target: { provider, model: 'upstream-model' }, signals, inputs }
}

export const whole = (content: string): Reply => ({
  kind: 'completion',
  completion: {
    choices: [{ index: 0, message: { content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
  },
})

export const text = (content: string): PartialChunk => ({ choices: [{ index: 0, delta: { content } }] })
export const stop: PartialChunk = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }

export async function* chunks(...reads: (PartialChunk[] | Error)[]): AsyncGenerator<readonly PartialChunk[]> {
  for (const read of reads) {
    if (read instanceof Error) throw read
    yield read
  }
}

export const stream = (...reads: (PartialChunk[] | Error)[]): Reply => ({
  kind: 'stream',
  chunks: chunks(...reads),
})

/** Lets what is under way come to where it waits. */
export const turn = () => new Promise(resolve => setTimeout(resolve, 5))

/** Waits until its signal aborts, as a transport or a decoder in mid read does. */
export function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

/** A gateway until the test ends: its timers must not tick in the next one, which may count its own. */
export function serving(targets: Target | readonly Target[], options: Partial<GatewayOptions> = {}) {
  const events: GatewayEvent[] = []
  const given: GatewayOptions = {
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: targets }),
    observe: event => events.push(event),
    // What one failure is told as shows where no target is asked again, nor left alone.
    retry: false,
    breaker: false,
    ...options,
  }
  const gateway = createGateway(given)
  onTestFinished(() => void gateway.close({ drainMs: 1 }))
  const post = (body: object, init: RequestInit = {}) =>
    gateway.fetch(
      new Request('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }], ...body }),
        ...init,
      }),
    )
  const ends = () => events.filter((event): event is EndEvent => event.type === 'end')
  return { gateway, given, post, events, ends }
}

export function eventsOf(body: string): unknown[] {
  return body
    .split('\n\n')
    .filter(event => event.startsWith('data: '))
    .map(event => (event === 'data: [DONE]' ? '[DONE]' : JSON.parse(event.slice(6))))
}
