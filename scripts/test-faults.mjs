// Runs the tests of every fault and prints one line for each: `pnpm test:faults`.
import { run } from './run.mjs'

try {
  run('vitest', ['run', '--reporter=./test/faults/harness/reporter.ts', 'test/faults'])
} catch {
  // What failed has been printed.
  process.exitCode = 1
}
