import type { Handmade } from '../../handmade.ts'
import { told, within } from '../../told.ts'
import { sseOf } from '../sse-of.ts'
import { broken, close, delta, ending, failing, open, ping, start, streaming, text } from './events.ts'

export const failingStreams: readonly Handmade[] = (
  [
    [
      'overloaded as the first event',
      [failing('overloaded_error', 'Overloaded')],
      { error: told.overloaded },
    ],
    [
      'overloaded before the first content',
      [start, ping, failing('overloaded_error', 'Overloaded')],
      { error: told.overloaded },
    ],
    [
      'overloaded where a text has begun, and has no words yet',
      [start, open(0, { type: 'text', text: '' }), failing('overloaded_error', 'Overloaded')],
      { error: told.overloaded },
    ],
    [
      'overloaded where a thought has begun, and has no words yet',
      [
        start,
        open(0, { type: 'thinking', thinking: '', signature: '' }),
        failing('overloaded_error', 'Overloaded'),
      ],
      { error: told.overloaded },
    ],
    [
      'too long, as the first event',
      [failing('invalid_request_error', 'prompt is too long: 203456 tokens > 200000 maximum')],
      { error: told.tooLong },
    ],
    [
      'overloaded in the middle',
      [start, ...text(0, 'So far').slice(0, 2), failing('overloaded_error', 'Overloaded')],
      broken('So far', within(told.overloaded)),
    ],
    [
      'limited in the middle',
      [start, ...text(0, 'So far').slice(0, 2), failing('rate_limit_error', 'Too many tokens.')],
      broken('So far', within(told.rateLimited)),
    ],
    [
      'failed in the middle',
      [start, ...text(0, 'So far'), failing('api_error', 'Internal server error')],
      broken('So far'),
    ],
    [
      'failed within a call',
      [
        start,
        open(0, { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} }),
        delta(0, { type: 'input_json_delta', partial_json: '{"word": "a' }),
        failing('api_error', 'Internal server error'),
      ],
      {
        choices: [{ calls: [{ id: 'toolu_1', name: 'look_up', arguments: '{"word": "a' }] }],
        error: within(told.failed),
      },
    ],
    ['garbled as the first event', ['event: message_start\ndata: {"type":\n\n'], { error: told.failed }],
    [
      'garbled in the middle',
      [
        start,
        ...text(0, 'So far').slice(0, 2),
        'event: content_block_delta\ndata: {"type":"content\n\n',
        close(0),
      ],
      broken('So far'),
    ],
    ['nothing at all', [], { error: told.failed }],
    ['an end before the first content', [start, ping], { error: told.failed }],
    ['an end within a block', [start, ...text(0, 'So', ' far').slice(0, 3)], broken('So far')],
    ['an end before the reason', [start, ...text(0, 'So far')], broken('So far')],
    [
      'an end before the last event',
      [start, ...text(0, 'So far'), ...ending('end_turn').slice(0, 1)],
      broken('So far'),
    ],
    [
      'an end within an event',
      [start, ...text(0, 'So far'), 'event: message_delta\ndata: {"ty'],
      broken('So far'),
    ],
  ] as const
).map(([name, events, expected]) => ({
  name: `stream: ${name}`,
  source: streaming,
  stream: true,
  sent: sseOf(events),
  expected,
}))

export const cutStreams: readonly Handmade[] = (['cut', 'reset'] as const).flatMap(end => [
  {
    name: `stream: a ${end} in the middle`,
    source: streaming,
    stream: true,
    sent: sseOf([start, ...text(0, 'So far').slice(0, 2)], end),
    expected: broken('So far'),
  },
])
