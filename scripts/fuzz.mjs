// Throws all the cases of every fuzz target at the code, and prints one line for each target: `pnpm fuzz`.
// `pnpm fuzz decoders` runs the files whose name has the word; test/fuzz/runs.ts says what FUZZ and FUZZ_SEED do.
import { availableParallelism } from 'node:os'
import { run } from './run.mjs'

const files = process.argv.slice(2).map(name => `test/fuzz/${name}`)
try {
  run(
    'vitest',
    [
      'run',
      '--reporter=./test/fuzz/reporter.ts',
      `--maxWorkers=${availableParallelism()}`,
      ...(files.length > 0 ? files : ['test/fuzz/']),
    ],
    { env: { FUZZ: process.env.FUZZ ?? '1' } },
  )
} catch {
  // What failed has been printed.
  process.exitCode = 1
}
