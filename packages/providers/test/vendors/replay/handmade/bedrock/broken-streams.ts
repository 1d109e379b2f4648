import { errorFrame, exceptionFrame, frame } from '../../event-frames.ts'
import type { Handmade } from '../../handmade.ts'
import { told } from '../../told.ts'
import { broken, delta, ending, start, streaming, streamOf, text } from './frames.ts'

/** A frame with one byte changed. */
function damaged(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Buffer.from(bytes)
  const place = at < 0 ? copy.length + at : at
  copy[place] = copy[place]! ^ 1
  return copy
}

const piece = delta(0, { text: ' and on' })
export const brokenStreams: readonly Handmade[] = (
  [
    ['an error frame first', [errorFrame('InternalFailure', 'It failed.')], { error: told.failed }],
    [
      'an error frame in the middle',
      [start, delta(0, { text: 'So far' }), errorFrame('InternalFailure', 'It failed.')],
      broken('So far'),
    ],
    [
      'an error frame that says what is wrong',
      [errorFrame('ThrottlingException', 'Too many requests.')],
      { error: told.rateLimited },
    ],
    [
      'an error frame before the rest',
      [start, ...text(0, 'So far'), errorFrame('InternalFailure', 'It failed.'), ...ending('end_turn')],
      broken('So far'),
    ],
    [
      'a model behind the service that is overloaded',
      [
        exceptionFrame('modelStreamErrorException', {
          message: 'The model failed.',
          originalMessage: 'Overloaded',
          originalStatusCode: 503,
        }),
      ],
      { error: told.overloaded },
    ],
    ['damaged lengths first', [damaged(start, 9), piece], { error: told.failed }],
    [
      'damaged lengths in the middle',
      [start, delta(0, { text: 'So far' }), damaged(piece, 9), ...ending('end_turn')],
      broken('So far'),
    ],
    ['a damaged payload first', [damaged(start, -8), piece], { error: told.failed }],
    [
      'a damaged payload in the middle',
      [start, delta(0, { text: 'So far' }), damaged(piece, -8), ...ending('end_turn')],
      broken('So far'),
    ],
    [
      'a damaged check sum in the middle',
      [start, delta(0, { text: 'So far' }), damaged(piece, -1), ...ending('end_turn')],
      broken('So far'),
    ],
    ['no frames', [Buffer.from('{"message":"Welcome to another service"}')], { error: told.failed }],
    [
      'a payload that is no JSON',
      [
        start,
        delta(0, { text: 'So far' }),
        frame(
          {
            ':event-type': 'contentBlockDelta',
            ':content-type': 'application/json',
            ':message-type': 'event',
          },
          Buffer.from('{"contentBlockIndex":0,"delta":{"te'),
        ),
        ...ending('end_turn'),
      ],
      broken('So far'),
    ],
    ['nothing at all', [], { error: told.failed }],
    ['an end after the start', [start], { error: told.failed }],
    ['an end in the middle', [start, delta(0, { text: 'So far' })], broken('So far')],
    ['an end before the reason', [start, ...text(0, 'So far')], broken('So far')],
    ['an end within a frame', [start, ...text(0, 'So far'), piece.subarray(0, 30)], broken('So far')],
    [
      'an end within the first bytes of a frame',
      [start, ...text(0, 'So far'), piece.subarray(0, 5)],
      broken('So far'),
    ],
  ] as const
).map(([name, frames, expected]) => ({
  name: `stream: ${name}`,
  source: streaming,
  stream: true,
  sent: streamOf(frames),
  expected,
}))

export const cutStreams: readonly Handmade[] = (['cut', 'reset'] as const).map(end => ({
  name: `stream: a ${end} in the middle`,
  source: streaming,
  stream: true,
  sent: streamOf([start, delta(0, { text: 'So far' })], end),
  expected: broken('So far'),
}))
