import type { Grant } from './programs/worker-messages.ts'

/**
 * By how much a rate was exceeded in any span of time, in units: 0 where it never was. A grant was decided after it was
 * asked for and before it was told: between two moments lie at least those that were asked and told between them.
 */
export function excessOfRate(grants: readonly Grant[], limit: number, windowMs: number): number {
  const perMs = limit / windowMs
  const byAsked = grants.map(({ asked }) => asked).sort((a, b) => a - b)
  const byTold = grants.map(({ told }) => told).sort((a, b) => a - b)
  let least = Number.POSITIVE_INFINITY
  let most = 0
  let begun = 0
  byTold.forEach((end, index) => {
    for (; begun < byAsked.length && (byAsked[begun] ?? 0) <= end; begun++) {
      least = Math.min(least, begun - (byAsked[begun] ?? 0) * perMs)
    }
    most = Math.max(most, index + 1 - end * perMs - least - limit)
  })
  return most
}

/** How many a rate had room for, of requests that were decided at these moments, in milliseconds. */
export function roomOfRate(told: readonly number[], limit: number, windowMs: number): number {
  const interval = windowMs / limit
  let arrival = Number.NEGATIVE_INFINITY
  let room = 0
  for (const now of [...told].sort((a, b) => a - b)) {
    const next = Math.max(arrival, now) + interval
    if (next > now + windowMs) continue
    arrival = next
    room++
  }
  return room
}

/** The most that held something at the same time, at least. */
export function mostAtOnce(grants: readonly Grant[]): number {
  const changes = grants.flatMap(({ told, settling }) => [
    { at: told, by: 1 },
    { at: settling, by: -1 },
  ])
  changes.sort((a, b) => a.at - b.at || a.by - b.by)
  let held = 0
  let most = 0
  for (const { by } of changes) {
    held += by
    most = Math.max(most, held)
  }
  return most
}
