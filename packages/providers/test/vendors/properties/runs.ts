import { inject } from 'vitest'

/**
 * How often a property is tried: `usual` times from a fresh seed with all tests, a tenth of it from a fixed one with the
 * quick ones. `VENDOR_RUNS` makes it so many times as often, `VENDOR_SEED` says the seed. A failure prints its seed.
 */
export function runs(usual: number): { readonly numRuns: number; readonly seed?: number } {
  const exhaustive = inject('exhaustive')
  const { VENDOR_RUNS: times = exhaustive ? '1' : '0.1', VENDOR_SEED: seed } = process.env
  const chosen = seed === undefined ? undefined : Number(seed)
  const numRuns = Math.ceil(usual * Number(times))
  if (chosen === undefined && exhaustive) return { numRuns }
  return { numRuns, seed: chosen ?? 1 }
}
