import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleProgram } from '../scripts/bundle-program.mjs'
import { drive } from './drive.ts'
import { median, ratioOf } from './figures.ts'
import { nodeOf } from './node-of.ts'
import { BusyMachineError, ticksNow } from './others.ts'
import { start, stop } from './processes.ts'
import { asAnn, path, small } from './questions.ts'
import { inTurns } from './turns.ts'
import { startUpstream } from './upstream.ts'

// Requests per CPU-second of two workers, the primary's CPU included, against those of one process; and the same with limits,
// which the primary then counts. Both run all the time, and are driven in turns. Run it with
//   npx -y pnpm bench:workers

const usage = `Compares two workers with one process, by requests per CPU-second. npx -y pnpm bench:workers
  --rounds N      how often both are measured, in turns; 6
  --seconds S     for how long each time; 2
  --only ROW      'with limits' or 'without limits'; default: both
  --node VERSION  the Node that is measured, from the registry: 24; default: the one that runs this
  --busy          measures even while other programs use the machine`

const rows = [
  { name: 'without limits', limits: false, goal: 0.92 },
  { name: 'with limits', limits: true, goal: 0.75 },
] as const
const connections = 64
/** Requests of each process before it is measured: the engine makes its code faster until then. */
const warmUpRequests = 40_000

const { values } = parseArgs({
  args: process.argv.slice(2).filter(argument => argument !== '--'),
  options: {
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string' },
    node: { type: 'string' },
    busy: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
try {
  if (values.help) console.log(usage)
  else await compareWorkers()
} catch (error) {
  console.error(error instanceof BusyMachineError ? error.message : error)
  process.exit(1)
}

async function compareWorkers(): Promise<void> {
  const { only } = values
  const chosen = only === undefined ? rows : rows.filter(({ name }) => name === only)
  if (chosen.length === 0)
    throw new TypeError(`--only: got ${only}, expected 'with limits' or 'without limits'.`)
  const node = nodeOf(values.node)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-workers-'))
  const program = join(folder, 'service.mjs')
  await bundleProgram(join(import.meta.dirname, 'workers/service.ts'), program)
  const upstream = await startUpstream()
  console.log(
    `Node ${node.version}, ${values.rounds} rounds of ${values.seconds} s; upstream: ${upstream.said}`,
  )
  try {
    for (const { name, limits, goal } of chosen) {
      const run = (workers: number) => startService([node.path, program], upstream.url, workers, limits)
      const services = await Promise.all([run(1), run(2)])
      try {
        for (const service of services) await warmUp(service)
        const rounds = await inTurns(
          { rounds: Number(values.rounds), busy: values.busy },
          services.map(service => () => perCpuSecond(service, Number(values.seconds))),
        )
        const ratios = rounds.map(([one, two]) => two! / one!)
        const [one, two] = [0, 1].map(at => median(rounds.map(round => round[at]!)).toFixed(0))
        console.log(
          `${name.padEnd(14)}  one process ${one}/s of CPU, two workers ${two}/s: ` +
            `${ratioOf(ratios)}, goal >= ${goal} x ${median(ratios) >= goal ? 'met' : 'NOT MET'}`,
        )
      } finally {
        await Promise.all(services.map(({ child }) => stop(child)))
      }
    }
  } finally {
    await upstream.stop()
    rmSync(folder, { recursive: true })
  }
}

interface Service {
  readonly child: ChildProcess
  readonly port: number
  /** How many processes answer requests. */
  readonly workers: number
}

async function startService(
  [command, program]: readonly [command: string, program: string],
  upstream: string,
  workers: number,
  limits: boolean,
): Promise<Service> {
  const child = start(command, [program], {
    env: { ...process.env, UPSTREAM: upstream, WORKERS: String(workers), LIMITS: limits ? '1' : '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout!, 'data')
  return { child, port: Number(new URL(String(line).trim()).port), workers }
}

async function warmUp({ port, workers }: Service): Promise<void> {
  await drive({ ...question(port), seconds: 0, atLeast: warmUpRequests * workers })
}

/** Requests for each second of CPU that a process and its children use. */
async function perCpuSecond({ child, port }: Service, seconds: number): Promise<number> {
  const before = ticksOf(child)
  const { requests } = await drive({ ...question(port), seconds })
  return (requests / (ticksOf(child) - before)) * 100
}

function question(port: number) {
  return { port, path, headers: asAnn, body: small, connections }
}

function ticksOf({ pid }: ChildProcess): number {
  const ticks = ticksNow(pid)
  if (ticks === undefined)
    throw new Error('CPU of children is read from /proc, which this system does not have.')
  return ticks.own
}
