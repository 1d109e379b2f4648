import type { CountDialect, GenerateDialect } from '../../contracts/dialect.ts'
import { GatewayError } from '../../errors/errors.ts'
import { responsesError, responsesErrorEvent } from './error.ts'
import { responsesOutline } from './outline.ts'
import { passResponse } from './pass.ts'
import { readResponses } from './read.ts'
import { writeResponse } from './response-text.ts'
import { responsesState } from './state.ts'
import { ResponsesStreamWriter } from './stream-writer.ts'

/** What the endpoints of the Responses API have in common. */
const endpoint = {
  outline: responsesOutline,
  error: responsesError,
  read: readResponses,
  state: responsesState,
} as const

/** The Responses API. */
export const responsesDialect: GenerateDialect = {
  ...endpoint,
  name: 'responses',
  operation: 'generate',
  path: '/responses',
  // With another status some try again for seconds.
  triesWebSocket: true,
  answerId: id => `resp_${id.replaceAll('-', '')}`,
  write: writeResponse,
  pass: (native, identity, { body }) => passResponse(native, identity, body),
  stream: (identity, request, newId) => new ResponsesStreamWriter(identity, request, newId),
  streamError: responsesErrorEvent,
}

/** The token counts of the Responses API. Its requests are those of a response, and in their dialect. */
export const inputTokensDialect: CountDialect = {
  ...endpoint,
  name: 'responses_input_tokens',
  operation: 'countTokens',
  counts: responsesDialect.name,
  path: '/responses/input_tokens',
  write: tokens => JSON.stringify({ object: 'response.input_tokens', input_tokens: tokens }),
}

/**
 * The endpoint that shortens a conversation. Its result could only be read by the account of the vendor that wrote it, which
 * callers share, so that every request is refused: clients then shorten the conversation by themselves.
 */
export const compactDialect: GenerateDialect = {
  ...responsesDialect,
  name: 'responses_compact',
  path: '/responses/compact',
  triesWebSocket: false,
  read() {
    throw new GatewayError('invalid_request', {
      message:
        'This gateway does not compact conversations. Shorten the input, or ask a model for a summary of it.',
    })
  },
}
