/**
 * The distribution of a duration in milliseconds, or of a number of tokens. A number is constant. `lognormal` is given by its
 * median and its 99th percentile, `empirical` by values that were observed: each is equally likely.
 */
export type Distribution =
  | number
  | { readonly uniform: { readonly min: number; readonly max: number } }
  | { readonly exponential: { readonly mean: number } }
  | { readonly lognormal: { readonly median: number; readonly p99: number } }
  | { readonly empirical: readonly number[] }

/** The 99th percentile of the standard normal distribution. */
const normalP99 = 2.3263478740408408

/** Returns a function that draws values, at least 0. Throws `TypeError` for an invalid distribution. */
export function sampler(distribution: Distribution, random: () => number): () => number {
  const issue = distributionIssue(distribution)
  if (issue !== undefined) throw new TypeError(`The distribution is invalid: expected ${issue}.`)
  if (typeof distribution === 'number') return () => distribution
  if ('uniform' in distribution) {
    const { min, max } = distribution.uniform
    return () => min + random() * (max - min)
  }
  if ('exponential' in distribution) return () => exponential(distribution.exponential.mean, random)
  if ('empirical' in distribution) {
    const { empirical } = distribution
    return () => empirical[Math.floor(random() * empirical.length)]!
  }
  const { median, p99 } = distribution.lognormal
  const sigma = Math.log(p99 / median) / normalP99
  return () => median * Math.exp(sigma * standardNormal(random))
}

/** Returns what was expected of a distribution; `undefined` if it is valid. */
export function distributionIssue(value: unknown): string | undefined {
  const isAmount = (part: unknown, min = 0) =>
    typeof part === 'number' && Number.isFinite(part) && part >= min
  if (typeof value === 'number') return isAmount(value) ? undefined : 'a number from 0'
  const kinds = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const [kind, given] = kinds.length === 1 ? kinds[0]! : []
  const part = (given ?? {}) as Readonly<Record<string, unknown>>
  switch (kind) {
    case 'uniform':
      return isAmount(part.min) && isAmount(part.max, part.min as number)
        ? undefined
        : 'uniform with min and max, both from 0, min at most max'
    case 'exponential':
      return isAmount(part.mean) ? undefined : 'exponential with a mean from 0'
    case 'lognormal':
      return isAmount(part.median, Number.MIN_VALUE) && isAmount(part.p99, part.median as number)
        ? undefined
        : 'lognormal with a median above 0 and a p99 that is not below it'
    case 'empirical':
      return Array.isArray(given) && given.length > 0 && given.every(each => isAmount(each))
        ? undefined
        : 'empirical with a list of numbers from 0'
    default:
      return 'a number, or one of uniform, exponential, lognormal and empirical'
  }
}

/** Draws from the exponential distribution: the time between two arrivals of a Poisson process. */
export function exponential(mean: number, random: () => number): number {
  return -mean * Math.log(1 - random())
}

/** Box-Muller. */
function standardNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
