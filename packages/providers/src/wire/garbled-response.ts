import { UpstreamError, type UpstreamResponse } from '@sluice/core/provider'

/** Creates the error for a response that is not a completion. It does not quote the body, which can contain anything. */
export function garbledResponse(what: string, cause?: unknown): UpstreamError {
  return new UpstreamError(`The upstream answered with ${what}, which is no completion.`, {
    kind: 'garbled',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Converts an error of a reader, such as a stack overflow of deeply nested JSON, to an `UpstreamError`. */
export function toUpstreamError(error: unknown): UpstreamError {
  return UpstreamError.is(error) ? error : garbledResponse('something that cannot be read', error)
}

/**
 * Checks the status and headers of a 2xx response. Throws `UpstreamError` of kind `garbled` for an empty body (204, 205),
 * a partial body (206), and HTML.
 */
export function checkResponseHead({ status, headers }: UpstreamResponse): void {
  if (status === 204 || status === 205) throw garbledResponse('an empty body')
  if (status === 206) throw garbledResponse('a part of a body')
  if (headers.get('content-type')?.toLowerCase().includes('html')) throw garbledResponse('a web page')
}
