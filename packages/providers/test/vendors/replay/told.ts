import type { ExpectedError } from './expected.ts'

/** What a caller is told of an upstream's failure, by `docs/errors.md`: in place of an answer, with its status. */
export const told = {
  overloaded: {
    status: 503,
    code: 'server_is_overloaded',
    type: 'service_unavailable_error',
    retryAfter: '1',
  },
  rateLimited: { status: 429, code: 'rate_limit_exceeded', type: 'requests' },
  quota: { status: 429, code: 'insufficient_quota', type: 'insufficient_quota' },
  failed: { status: 502, code: 'bad_gateway', type: 'server_error' },
  auth: { status: 502, code: 'upstream_auth', type: 'server_error' },
  timeout: { status: 504, code: 'timeout', type: 'server_error' },
  tooLarge: { status: 413, code: null, type: 'invalid_request_error' },
  notFound: { status: 404, code: 'model_not_found', type: 'invalid_request_error' },
  invalid: { status: 400, code: null, type: 'invalid_request_error' },
  tooLong: { status: 400, code: 'context_length_exceeded', type: 'invalid_request_error' },
} as const satisfies Record<string, ExpectedError>

/** The same in the middle of a stream, whose status was sent before: an event at its end. */
export function within({ code, type }: ExpectedError): ExpectedError {
  return { code, type }
}
