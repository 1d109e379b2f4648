import type { Handmade } from '../../handmade.ts'
import { ending, said, start, stops, streamOf, text, whole } from './frames.ts'

export const finishes: readonly Handmade[] = (
  [
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['malformed_model_output', 'stop'],
    ['malformed_tool_use', 'stop'],
    ['a_reason_to_come', 'stop'],
  ] as const
).flatMap(([reason, finish]) => [
  {
    name: `whole: ${reason}`,
    source: stops,
    stream: false,
    sent: whole([{ text: 'Until here' }], reason),
    expected: said('Until here', finish),
  },
  {
    name: `stream: ${reason}`,
    source: stops,
    stream: true,
    sent: streamOf([start, ...text(0, 'Until here'), ...ending(reason)]),
    expected: said('Until here', finish),
  },
])
