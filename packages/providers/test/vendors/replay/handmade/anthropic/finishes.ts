import type { Handmade } from '../../handmade.ts'
import { sseOf } from '../sse-of.ts'
import { counts, ending, said, start, stops, text, whole } from './events.ts'

export const finishes: readonly Handmade[] = (
  [
    ['model_context_window_exceeded', 'length'],
    ['max_tokens', 'length'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['compaction', 'stop'],
    ['a_reason_to_come', 'stop'],
  ] as const
).flatMap(([reason, finish]) => [
  {
    name: `whole: ${reason}`,
    source: stops,
    stream: false,
    sent: whole([{ type: 'text', text: 'Until here' }], reason),
    expected: said('Until here', finish),
  },
  {
    name: `stream: ${reason}`,
    source: stops,
    stream: true,
    sent: sseOf([start, ...text(0, 'Until here'), ...ending(reason)]),
    expected: said('Until here', finish),
  },
])

const explanation = 'This was stopped by the safeguards.'
const details = { stop_details: { type: 'refusal', category: 'bio', explanation } }
export const refusals: readonly Handmade[] = [
  {
    name: 'whole: a refusal after some text',
    source: stops,
    stream: false,
    sent: whole([{ type: 'text', text: 'To begin' }], 'refusal', details),
    expected: {
      choices: [{ text: 'To begin', refusal: explanation, finish: 'content_filter' }],
      usage: counts,
    },
  },
  {
    name: 'stream: a refusal after some text',
    source: stops,
    stream: true,
    sent: sseOf([start, ...text(0, 'To begin'), ...ending('refusal', details)]),
    expected: {
      choices: [{ text: 'To begin', refusal: explanation, finish: 'content_filter' }],
      usage: counts,
    },
  },
  {
    name: 'stream: a refusal without a reason',
    source: stops,
    stream: true,
    sent: sseOf([start, ...ending('refusal', { stop_details: null })]),
    expected: { choices: [{ finish: 'content_filter' }], usage: counts },
  },
]
