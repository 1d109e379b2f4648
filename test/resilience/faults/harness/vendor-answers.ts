import { type Steps, steps } from '@sluice/testing'
import {
  answersOf,
  framing,
  type SaidEvent,
} from '../../../../packages/providers/test/vendors/properties/answer-streams.ts'
import type { Wire } from '../../../../packages/providers/test/vendors/properties/wire.ts'
import type { Plan } from '../../../../packages/providers/test/vendors/stand-ins/plan.ts'

/** A vendor's streamed answer, as the frames that it is made of. */
export interface FramedAnswer {
  readonly type: string
  readonly events: readonly SaidEvent[]
  readonly frames: readonly Uint8Array[]
  /** The index of the event by which the answer is whole. */
  readonly end: number
}

/** An answer of three words. */
export const threeWords: Plan = {
  thinking: undefined,
  text: 'one two three',
  calls: [],
  end: 'done',
  stopSequence: undefined,
  usage: { prompt: 9, cached: 2, output: 7, thinking: 0 },
}

/** An answer that calls a tool twice. */
export const twoCalls: Plan = {
  ...threeWords,
  text: '',
  calls: ['Paris', 'Oslo'].map(city => ({ name: 'get_weather', input: { city, say: '"é😀\\' } })),
  end: 'calls',
}

/** The answer of a plan, as a vendor streams it. */
export function framedAnswer(wire: Wire, plan: Plan): FramedAnswer {
  const { events, end } = answersOf[wire](plan)
  const { type, frame } = framing[wire]
  return { type, events, frames: events.map(frame), end }
}

/** The same answer in one piece of JSON. */
export function wholeAnswer(wire: Wire, plan: Plan): object {
  return answersOf[wire](plan).whole
}

/** Events of a vendor's, framed, as an answer of status 200 that stays open for further steps. */
export function answering(wire: Wire, events: readonly SaidEvent[]): Steps {
  const { type, frame } = framing[wire]
  const bytes = Buffer.concat(events.map(frame))
  return [steps.head({ headers: { 'content-type': type } }), ...(bytes.length > 0 ? [steps.body(bytes)] : [])]
}
