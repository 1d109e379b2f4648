import { execFileSync, spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Where things run: what is measured has a core for itself, so that nothing else is in its way. */
export interface Cores {
  /** Words before a command that runs on the core of what is measured; none where nothing is pinned. */
  readonly server: readonly string[]
  /** What was done, to be read by people. */
  readonly said: string
}

/**
 * Moves this process, and all that it starts from now on, to the second core, and leaves the first one to what is
 * measured. Does nothing without `taskset` (Linux), or on a machine of one core.
 */
export function shareCores(): Cores {
  const able = spawnSync('taskset', ['--version']).status === 0
  if (!able || availableParallelism() < 2) {
    return {
      server: [],
      said: able ? 'nothing is pinned: one core' : 'nothing is pinned: there is no taskset',
    }
  }
  const [first, second] = allowedCores()
  execFileSync('taskset', ['-a', '-c', '-p', `${second}`, `${process.pid}`], { stdio: 'ignore' })
  return {
    server: ['taskset', '-c', `${first}`],
    said: `pinned: what is measured on core ${first}, driver and upstream on core ${second}`,
  }
}

/** The cores that this process may use: `0,2-3` is 0, 2 and 3. */
function allowedCores(): number[] {
  const told = execFileSync('taskset', ['-c', '-p', `${process.pid}`], { encoding: 'utf8' })
  return told
    .slice(told.lastIndexOf(':') + 1)
    .trim()
    .split(',')
    .flatMap(range => {
      const [from = 0, to = from] = range.split('-').map(Number)
      return Array.from({ length: to - from + 1 }, (_, at) => from + at)
    })
}
