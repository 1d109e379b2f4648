import { execFileSync } from 'node:child_process'
import { cpus, release, type } from 'node:os'
import type { PeerServed } from './measures/peers.ts'
import type { Served } from './measures/requests.ts'
import type { Plan } from './plan.ts'
import type { Row } from './row.ts'

/** A run, as it is kept. */
export interface Result {
  readonly node: string
  readonly date: string
  /** What was measured; with `+` where there were changes beside it. */
  readonly commit: string
  /** On what, and how. */
  readonly machine: string
  readonly cores: string
  readonly upstream: string
  readonly runs: number
  readonly rounds: number
  readonly seconds: number
  readonly served: readonly Served[]
  readonly peers: readonly PeerServed[]
  readonly rows: readonly Row[]
}

export function resultOf(
  plan: Plan,
  { node, runs }: Pick<Result, 'node' | 'runs'>,
  { served, peers }: Pick<Result, 'served' | 'peers'>,
  rows: readonly Row[],
): Result {
  const { rounds, seconds, cores, upstream } = plan
  return {
    node: node.replace(/^v/, ''),
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, ${type()} ${release().split('-')[0]}`,
    cores: cores.said,
    upstream: upstream.said,
    runs,
    rounds,
    seconds,
    served,
    peers,
    rows,
  }
}

function commit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const changed = git('status', '--porcelain', '--', 'packages', 'bench').trim() !== ''
    return `${git('rev-parse', '--short', 'HEAD').trim()}${changed ? '+' : ''}`
  } catch {
    return 'unknown'
  }
}
