type Headers = Readonly<Record<string, string>>

/** Tells clients that the same request will fail again. Without them some retry a 401 for more than a minute. */
export const noRetryHeaders: Headers = Object.freeze({ 'x-should-retry': 'false' })

/** Returns the headers that ask a client to retry after so many milliseconds. */
export function retryAfterHeaders(ms: number): Headers {
  const wholeMs = Math.ceil(ms)
  return { 'retry-after': String(Math.ceil(wholeMs / 1_000)), 'retry-after-ms': String(wholeMs) }
}

/**
 * Returns the `retryAfterHeaders`, limited to 1 to 60 seconds. Clients sleep for the complete time, and ignore
 * `retry-after` beyond a minute.
 */
export function limitedRetryAfterHeaders(ms: number): Headers {
  return retryAfterHeaders(Math.min(Math.max(ms, 1_000), 60_000))
}

/** Returns the headers that ask a client to retry in 1 to 5 seconds. `random` spreads clients over that time. */
export function spreadRetryAfterHeaders(random: () => number): Headers {
  return retryAfterHeaders(1_000 + Math.floor(random() * 4_000))
}

/** Returns the milliseconds of `retryAfterHeaders` in the headers of an error; `undefined` if it has none. */
export function retryAfterMs({ headers }: { readonly headers: Headers }): number | undefined {
  const ms = headers['retry-after-ms']
  return ms === undefined ? undefined : Number(ms)
}
