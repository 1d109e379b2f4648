// Runs the tests of every fault and prints one line for each: `pnpm test:faults`. With names of files, such as
// `upstream-deaths`, only the faults in those.
import { run } from './run.mjs'

const names = process.argv.slice(2)
const files =
  names.length === 0 ? ['test/resilience/faults'] : names.map(name => `test/resilience/faults/${name}`)
try {
  run('vitest', ['run', '--mode=all', '--reporter=./test/resilience/faults/harness/reporter.ts', ...files], {
    env: { FAULTS: names.length === 0 ? 'all' : 'some' },
  })
} catch {
  // What failed has been printed.
  process.exitCode = 1
}
