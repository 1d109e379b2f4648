/** Earliest retry of a rejected client, and the time over which retries are spread. Milliseconds. */
const soonest = 1_000
const spread = 4_000

/** Returns the headers that ask a client to retry in 1 to 5 seconds. `random` spreads clients over that time. */
export function retryHeaders(random: () => number): Readonly<Record<string, string>> {
  const ms = soonest + Math.floor(random() * spread)
  return { 'retry-after': String(Math.ceil(ms / 1000)), 'retry-after-ms': String(ms) }
}
