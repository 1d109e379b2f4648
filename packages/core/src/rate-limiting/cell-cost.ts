/** A rate: `limit` in any `windowMs`, of which all may come at once. */
export interface Rate {
  readonly limit: number
  readonly windowMs: number
}

/** The most that a claim costs, in microseconds: over seventy years. A sum of two still is a whole number. */
const maxCost = 2 ** 51

/** What an amount costs of a rate: `ceil(amount * window / limit)` in whole microseconds, exactly. */
export function cellCost({ limit, windowMs }: Rate, amount: number): number {
  const windowUs = windowMs * 1_000
  const product = amount * windowUs
  if (product <= Number.MAX_SAFE_INTEGER) return Math.min(Math.ceil(product / limit), maxCost)
  const divisor = BigInt(limit)
  const cost = (BigInt(amount) * BigInt(windowUs) + divisor - 1n) / divisor
  return Number(cost < maxCost ? cost : maxCost)
}

/**
 * The room of a rate in microseconds: its window, and what rounding up takes of a full limit, which is less than one
 * is worth. Without that, 7 in a minute would be 6.
 */
export function burstOf({ limit, windowMs }: Rate): number {
  const windowUs = windowMs * 1_000
  const one = Math.ceil(windowUs / limit)
  return windowUs + Math.min(one * limit - windowUs, one - 1)
}

/** What so many free microseconds of a rate are worth: whole amounts, rounded down, exactly. */
export function cellsIn({ limit, windowMs }: Rate, freeUs: number): number {
  const windowUs = windowMs * 1_000
  const product = freeUs * limit
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / windowUs)
  return Number((BigInt(freeUs) * BigInt(limit)) / BigInt(windowUs))
}
