import fc from 'fast-check'
import { it, type TestContext } from 'vitest'
import { runsOf } from './runs.ts'

/** What is thrown at what, how often, and what has to hold. */
export interface FuzzTarget<Input> {
  readonly name: string
  /** How many cases the whole run tries. */
  readonly cases: number
  /** How many of them are tried with the other tests. */
  readonly quick: number
  readonly input: fc.Arbitrary<Input>
  /** Throws where something does not hold. */
  check(input: Input): void | Promise<void>
  /** Found once, tried for good. */
  readonly examples?: readonly Input[]
}

declare module 'vitest' {
  interface TaskMeta {
    /** What a target did, for the one who reports it. */
    fuzz?: { name: string; cases: number; seeds: number[]; seconds: number; failures: number }
  }
}

/** Makes a test of a target. All its seeds are tried, also after one has found something. */
export function fuzz<Input>(target: FuzzTarget<Input>): void {
  const { name, cases, quick, input, examples = [] } = target
  const runs = runsOf(cases, quick)
  it(name, async ({ task }: TestContext) => {
    const start = performance.now()
    const failures: unknown[] = []
    let tried = 0
    const property = fc.asyncProperty(input, async value => {
      tried++
      await target.check(value)
    })
    for (const [index, { seed, cases: numRuns }] of runs.entries()) {
      const first = index === 0 ? examples.map((example): [Input] => [example]) : []
      try {
        await fc.assert(property, { seed, numRuns: numRuns + first.length, examples: first })
      } catch (failure) {
        failures.push(failure)
      }
    }
    task.meta.fuzz = {
      name,
      cases: tried,
      seeds: runs.map(({ seed }) => seed),
      seconds: (performance.now() - start) / 1000,
      failures: failures.length,
    }
    if (failures.length === 1) throw failures[0]
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('\n'))
  }, 3_600_000)
}
