/**
 * How often a property is tried: `VENDOR_RUNS` times as often as usual, from the seed `VENDOR_SEED` where one is
 * given. A failure prints its seed.
 */
export function runs(usual: number): { readonly numRuns: number; readonly seed?: number } {
  const { VENDOR_RUNS: times = '1', VENDOR_SEED: seed } = process.env
  return { numRuns: usual * Number(times), ...(seed === undefined ? {} : { seed: Number(seed) }) }
}
