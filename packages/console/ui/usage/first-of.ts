const dayMs = 86_400_000

/** The beginning of the first of so many days, of which today is the last; days are those of UTC. */
export function firstOf(days: number): number {
  return Math.floor(Date.now() / dayMs) * dayMs - (days - 1) * dayMs
}
