import { type AnswerContent, chunks, completion } from '@sluice/testing'
import fc from 'fast-check'
import { eventFrame } from '../replay/event-frames.ts'
import { message, messageEvents } from '../stand-ins/anthropic/message.ts'
import { converseAnswer, converseEvents } from '../stand-ins/bedrock/converse-answer.ts'
import { generated, generatedEvents } from '../stand-ins/gemini/generated.ts'
import { response, responseEvents } from '../stand-ins/openai/responses-answer.ts'
import type { Plan } from '../stand-ins/plan.ts'
import { jsonValue, oddText } from './odd-text.ts'
import { toolName } from './tool-arbitrary.ts'
import type { Wire } from './wire.ts'

/** What a vendor says in one event. */
export interface SaidEvent {
  /** Its name, where events have names beside their data. */
  readonly name: string
  readonly payload: object | string
}

/** One way to answer, whole and in events. */
export interface SaidAnswer {
  readonly whole: object
  readonly events: readonly SaidEvent[]
  /** The answer is not complete before this event has come. */
  readonly end: number
}

/** How a vendor frames an event, and what it calls the whole. */
export const framing: Readonly<Record<Wire, { readonly type: string; frame(event: SaidEvent): Uint8Array }>> =
  {
    chat: { type: 'text/event-stream', frame: ({ payload }) => text(`data: ${json(payload)}\n\n`) },
    messages: {
      type: 'text/event-stream; charset=utf-8',
      frame: ({ name, payload }) => text(`event: ${name}\ndata: ${json(payload)}\n\n`),
    },
    responses: {
      type: 'text/event-stream; charset=utf-8',
      frame: ({ name, payload }) => text(`event: ${name}\ndata: ${json(payload)}\n\n`),
    },
    generate: { type: 'text/event-stream', frame: ({ payload }) => text(`data: ${json(payload)}\r\n\r\n`) },
    converse: {
      type: 'application/vnd.amazon.eventstream',
      frame: ({ name, payload }) => eventFrame(name, payload),
    },
  }

const everything = { summary: true, encrypted: true }

/** Answers as a vendor gives them. */
export const answersOf: Readonly<Record<Wire, (plan: Plan) => SaidAnswer>> = {
  chat: ({ text: words, calls, end }) => {
    const content: AnswerContent = {
      ...(end === 'length' ? { finishReason: 'length' } : {}),
      ...(words === '' ? {} : { text: words }),
      ...(calls.length === 0
        ? {}
        : { toolCalls: calls.map(({ name, input }) => ({ name, arguments: input })) }),
    }
    const events = chunks(content).map(payload => ({ name: 'message', payload }))
    const done = { name: 'message', payload: '[DONE]' }
    return { whole: completion(content), events: [...events, done], end: events.length - 1 }
  },
  messages: plan => {
    const events = messageEvents(plan, 'claude').map(line => ({
      name: /^event: (\w+)/.exec(line)![1]!,
      payload: payloadOf(line),
    }))
    return { whole: message(plan, 'claude'), events, end: events.length - 1 }
  },
  generate: plan => {
    const events = generatedEvents(plan, 'gemini', true, true).map(payload => ({ name: 'message', payload }))
    return { whole: generated(plan, 'gemini', true, true), events, end: events.length - 1 }
  },
  responses: plan => {
    const events = responseEvents(plan, everything)
    return { whole: response(plan, everything), events, end: events.length - 1 }
  },
  converse: plan => {
    const events = converseEvents(plan).map(([name, payload]) => ({ name, payload }))
    return { whole: converseAnswer(plan), events, end: events.length - 2 }
  },
}

/** Plans with text, thinking and calls, in every mixture that ends. */
export const plans: fc.Arbitrary<Plan> = fc
  .record({
    thinking: fc.option(oddText, { nil: undefined }),
    text: oddText.map(words => `${words}.`),
    calls: fc.array(
      fc.record({
        name: toolName,
        input: fc.dictionary(oddText, jsonValue, { maxKeys: 2, noNullPrototype: true }),
      }),
      { maxLength: 2 },
    ),
    end: fc.constantFrom('done', 'length'),
  })
  .map(({ calls, end, ...plan }) => ({
    ...plan,
    calls,
    end: calls.length > 0 ? 'calls' : end,
    stopSequence: undefined,
    usage: { prompt: 9, cached: 2, output: 7, thinking: 3 },
  }))

function payloadOf(event: string): object {
  return JSON.parse(/^data: ([^\n]*)/m.exec(event)![1]!) as object
}

function json(payload: object | string): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload)
}

function text(words: string): Uint8Array {
  return Buffer.from(words)
}
