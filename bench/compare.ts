import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { shareCores } from './cores.ts'
import { drive } from './drive.ts'
import { figure, median, ratioOf } from './figures.ts'
import { nodeOf } from './node-of.ts'
import { usual } from './plan.ts'
import { stop } from './processes.ts'
import { asAnn, large, path, small, streamed } from './questions.ts'
import { type Runtime, Subject } from './subject.ts'
import { inTurns } from './turns.ts'
import { startNodeUpstream, startUpstream } from './upstream.ts'

// Compares the CPU time of this checkout with that of another commit, in turns, within one run. Run it with
//   npx -y pnpm bench:compare COMMIT

const usage = `Compares what a request costs here with what it costs at another commit. npx -y pnpm bench:compare COMMIT
  --rounds N      how often both are measured, in turns; 12
  --seconds S     for how long each time; 0.5
  --node VERSION  the Node that is measured, from the registry: 24; default: the one that runs this
  --only ROW      one row, by its name
  --busy          measures even while other programs use the machine`

/** By how much a row may cost more than before. */
const tolerance = 0.03

interface RowPlan {
  readonly name: string
  readonly server: string
  readonly body: string
  readonly connections: number
  readonly warmUp: number
  readonly streams: boolean
}

const rows: readonly RowPlan[] = [
  {
    name: 'node',
    server: 'sluice-node',
    body: small,
    connections: 32,
    warmUp: usual.warmUp.small,
    streams: false,
  },
  {
    name: 'express',
    server: 'sluice-express',
    body: small,
    connections: 32,
    warmUp: usual.warmUp.small,
    streams: false,
  },
  {
    name: 'koa',
    server: 'sluice-koa',
    body: small,
    connections: 32,
    warmUp: usual.warmUp.small,
    streams: false,
  },
  {
    name: 'large',
    server: 'sluice-node',
    body: large,
    connections: 2,
    warmUp: usual.warmUp.large,
    streams: false,
  },
  {
    name: 'stream',
    server: 'sluice-node',
    body: streamed('Tell me a story of 199 words.'),
    connections: 8,
    warmUp: usual.warmUp.streams,
    streams: true,
  },
]

const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter(argument => argument !== '--'),
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '0.5' },
    node: { type: 'string' },
    only: { type: 'string' },
    busy: { type: 'boolean', default: false },
  },
})
const [commit] = positionals
if (commit === undefined || positionals.length > 1) {
  console.error(usage)
  process.exit(1)
}

const checkout = checkOut(commit)
try {
  const node = nodeOf(values.node)
  const cores = shareCores()
  const runtime: Runtime = { node: node.path, pinned: cores.server, sources: false }
  console.log(`Node ${node.version}, ${values.rounds} rounds of ${values.seconds} s; ${cores.said}`)
  console.log('CPU per request (median): here, there, their ratio (median, quartiles)\n')
  const whole = await startUpstream()
  const events = await startNodeUpstream('events-process.mjs', '199')
  try {
    for (const row of rows.filter(({ name }) => values.only === undefined || name === values.only)) {
      const upstream = row.streams ? events.url : whole.url
      console.log(await compared(row, upstream, runtime, checkout))
    }
  } finally {
    await Promise.all([whole.stop(), stop(events.child)])
  }
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', checkout])
  rmdirSync(dirname(checkout))
}

/** The other commit, built, in a folder of its own. */
function checkOut(commit: string): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'sluice-compare-')), 'checkout')
  execFileSync('git', ['worktree', 'add', '--detach', folder, commit], { stdio: 'ignore' })
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  run('npx', '-y', 'pnpm', 'install', '--frozen-lockfile', '--prefer-offline')
  run('node', 'scripts/build.mjs', '--no-types')
  return folder
}

async function compared(row: RowPlan, upstream: string, runtime: Runtime, checkout: string): Promise<string> {
  const subjects = await Promise.all(
    [runtime, { ...runtime, checkout }].map(each => Subject.start(row.server, upstream, each)),
  )
  try {
    for (const subject of subjects) await microsOf(subject, row, 0, row.warmUp)
    const rounds = await inTurns(
      { rounds: Number(values.rounds), busy: values.busy },
      subjects.map(subject => () => microsOf(subject, row, Number(values.seconds))),
    )
    const ratios = rounds.map(([here, there]) => here! / there!)
    const [here, there] = [0, 1].map(at => figure(median(rounds.map(round => round[at]!)), 'us'))
    const verdict = median(ratios) <= 1 + tolerance ? 'within 3 %' : 'WORSE'
    return `${row.name.padEnd(8)} ${here}, ${there}: ${ratioOf(ratios)} ${verdict}`
  } finally {
    await Promise.all(subjects.map(subject => subject.stop()))
  }
}

async function microsOf(subject: Subject, row: RowPlan, seconds: number, atLeast = 0): Promise<number> {
  const { body, connections } = row
  const request = { port: subject.port, path, headers: asAnn, body, connections, seconds, atLeast }
  const { cpuMicros, done } = await subject.during(() => drive(request))
  return cpuMicros / done.requests
}
