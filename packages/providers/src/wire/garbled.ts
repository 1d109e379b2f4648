import { UpstreamError, type UpstreamResponse } from '@sluice/core/provider'

/** The failure of an answer that is no completion. What it was is not told: it may hold anything. */
export function garbled(what: string, cause?: unknown): UpstreamError {
  return new UpstreamError(`The upstream answered with ${what}, which is no completion.`, {
    kind: 'garbled',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** What reading an answer threw, as the upstream's failure: JSON that nests too deep exhausts the stack. */
export function upstreamFailure(error: unknown): UpstreamError {
  return UpstreamError.is(error) ? error : garbled('something that cannot be read', error)
}

/**
 * Checks the head of an answer whose status is one of success. Throws `UpstreamError` of kind `garbled` where it
 * tells that the body is none, is only a part, or is a page for people.
 */
export function checkAnswerHead({ status, headers }: UpstreamResponse): void {
  if (status === 204 || status === 205) throw garbled('an empty body')
  if (status === 206) throw garbled('a part of a body')
  if (headers.get('content-type')?.toLowerCase().includes('html')) throw garbled('a web page')
}
