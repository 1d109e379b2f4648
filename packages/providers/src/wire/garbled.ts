import { UpstreamError } from '@sluice/core'

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
