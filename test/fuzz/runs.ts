import { inject } from 'vitest'

/** Seeds that are tried each time: what they find is found on every machine. */
const fixedSeeds = [1, 20_261_121]

/** How often a target is tried, from one seed. */
export interface Run {
  readonly seed: number
  readonly cases: number
}

/**
 * The runs of a target. Without `FUZZ`: a slice, `quick` cases with all tests and a tenth of them with the quick ones, from
 * the fixed seeds. With `FUZZ=1`, as `pnpm fuzz` sets it: all
 * cases, half of them from the fixed seeds and half from fresh ones; `FUZZ=0.1` tries a tenth of them, `FUZZ=10` ten
 * times as many. `FUZZ_SEED=n` takes this seed alone.
 */
export function runsOf(whole: number, quick: number): readonly Run[] {
  const { FUZZ: factor, FUZZ_SEED: chosen } = process.env
  const slice = inject('exhaustive') ? quick : Math.ceil(quick / 10)
  const cases = factor === undefined ? slice : Math.ceil(whole * Number(factor))
  if (!(cases > 0)) throw new RangeError(`FUZZ: got ${factor}, expected a number above 0`)
  if (chosen !== undefined) return [{ seed: Number(chosen), cases }]
  const seeds = factor === undefined ? fixedSeeds : [...fixedSeeds, freshSeed(), freshSeed()]
  return seeds.map(seed => ({ seed, cases: Math.ceil(cases / seeds.length) }))
}

function freshSeed(): number {
  return Math.floor(Math.random() * 2 ** 31)
}
