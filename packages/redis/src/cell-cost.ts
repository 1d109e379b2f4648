import type { RateCounter } from '@sluice/core'

/** The most that a claim costs, in microseconds: over seventy years. A sum of two still is a whole number. */
const most = 2 ** 51

/** What an amount costs of a rate: `ceil(amount * window / limit)` in whole microseconds, exactly. */
export function cellCost(
  { limit, windowMs }: Pick<RateCounter, 'limit' | 'windowMs'>,
  amount: number,
): number {
  const windowUs = windowMs * 1_000
  const product = amount * windowUs
  if (product <= Number.MAX_SAFE_INTEGER) return Math.min(Math.ceil(product / limit), most)
  const divisor = BigInt(limit)
  const cost = (BigInt(amount) * BigInt(windowUs) + divisor - 1n) / divisor
  return Number(cost < most ? cost : most)
}

/**
 * How many microseconds may be taken at once: the window, and what rounding up takes of a full limit. That is less than
 * one more is worth, so that no more than the limit has room.
 */
export function burstOf({ limit, windowMs }: Pick<RateCounter, 'limit' | 'windowMs'>): number {
  const windowUs = windowMs * 1_000
  const one = Math.ceil(windowUs / limit)
  return windowUs + Math.min(one * limit - windowUs, one - 1)
}

/** What so many free microseconds of a rate are worth: whole amounts, rounded down, exactly. */
export function cellsIn(
  { limit, windowMs }: Pick<RateCounter, 'limit' | 'windowMs'>,
  freeUs: number,
): number {
  const windowUs = windowMs * 1_000
  const product = freeUs * limit
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / windowUs)
  return Number((BigInt(freeUs) * BigInt(limit)) / BigInt(windowUs))
}
