import { exceptionFrame } from '../../event-frames.ts'
import type { Handmade } from '../../handmade.ts'
import { told, within } from '../../told.ts'
import { broken, delta, ending, start, streaming, streamOf, text } from './frames.ts'

/** Each failure that the model of the service names for a stream, and what the caller is told of it. */
const exceptions = [
  ['internalServerException', { message: 'The system failed.' }, told.failed],
  [
    'modelStreamErrorException',
    { message: 'The model failed.', originalMessage: 'Out of memory', originalStatusCode: 500 },
    told.failed,
  ],
  ['validationException', { message: 'Input is too long for requested model.' }, told.tooLong],
  ['throttlingException', { message: 'Too many tokens, please wait before trying again.' }, told.rateLimited],
  ['serviceUnavailableException', { message: 'Bedrock is unable to process your request.' }, told.overloaded],
] as const

export const exceptionStreams: readonly Handmade[] = exceptions.flatMap(([type, payload, error]) =>
  (
    [
      ['the first frame', [], { error }],
      ['after the start', [start], { error }],
      ['in the middle', [start, delta(0, { text: 'So far' })], broken('So far', within(error))],
      [
        'after the reason',
        [start, ...text(0, 'So far'), ending('end_turn')[0]!],
        broken('So far', within(error)),
      ],
    ] as const
  ).map(([where, before, expected]) => ({
    name: `stream: ${type}, ${where}`,
    source: streaming,
    stream: true,
    sent: streamOf([...before, exceptionFrame(type, payload)]),
    expected,
  })),
)
