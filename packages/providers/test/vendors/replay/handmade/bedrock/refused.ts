import type { Handmade } from '../../handmade.ts'
import { told } from '../../told.ts'
import { jsonOf } from '../json-of.ts'
import { errors } from './frames.ts'

export const refused: readonly Handmade[] = (
  [
    ['ThrottlingException', 429, 'Too many requests, please wait before trying again.', told.rateLimited],
    ['ModelNotReadyException', 429, 'The model is not ready for inference.', told.rateLimited],
    ['ServiceQuotaExceededException', 400, 'Your request exceeds the service quota.', told.rateLimited],
    [
      'ValidationException',
      400,
      'Input is too long for requested model.',
      { ...told.tooLong, message: 'Input is too long' },
    ],
    [
      'ValidationException',
      400,
      'Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
      told.tooLong,
    ],
    [
      'ValidationException',
      400,
      'The value at toolConfig is empty.',
      { ...told.invalid, message: 'The value at toolConfig is empty.' },
    ],
    [
      'AccessDeniedException',
      403,
      "You don't have access to the model with the specified model ID.",
      told.auth,
    ],
    ['UnrecognizedClientException', 403, 'The security token included in the request is invalid.', told.auth],
    ['ExpiredTokenException', 403, 'The security token included in the request is expired', told.auth],
    ['ResourceNotFoundException', 404, 'Could not resolve the foundation model.', told.notFound],
    ['ModelTimeoutException', 408, 'The request took too long to process.', told.timeout],
    ['ModelErrorException', 424, 'The model failed.', told.failed],
    ['InternalServerException', 500, 'An internal server error occurred.', told.failed],
    ['ServiceUnavailableException', 503, 'The service is not available.', told.overloaded],
  ] as const
).map(([type, status, message, error]) => ({
  name: `error ${status} ${type}: ${message}`,
  source: errors,
  sent: jsonOf({ message }, status, {
    'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
  }),
  expected: { error },
}))

export const oddlySpelled: readonly Handmade[] = [
  {
    name: 'error 400 whose message is written large',
    source: errors,
    sent: jsonOf({ Message: 'A conversation must start with a user message.' }, 400, {
      'x-amzn-errortype': 'ValidationException',
    }),
    expected: { error: { ...told.invalid, message: 'A conversation must start with a user message.' } },
  },
  {
    name: 'error 503 without words',
    source: errors,
    sent: { status: 503, headers: {}, bytes: Buffer.from('') },
    expected: { error: told.overloaded },
  },
]
