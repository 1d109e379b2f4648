import { parseArgs } from 'node:util'
import { shareCores } from './cores.ts'
import { drive } from './drive.ts'
import { median, quantile } from './figures.ts'
import { nodeOf } from './node-of.ts'
import { BusyMachineError } from './others.ts'
import { asAnn, path, small } from './questions.ts'
import { samplesByPackage } from './samples-by-package.ts'
import { Subject } from './subject.ts'
import { inTurns } from './turns.ts'
import { startUpstream } from './upstream.ts'

// Where the CPU of a small request goes, package by package, beside the bare proxy. What V8 and the kernel do for a function
// counts as its package's. Run it with
//   npx -y pnpm bench:profile

const usage = `Tells where the CPU of a small request goes, by package. npx -y pnpm bench:profile
  --rounds N      how often each server is profiled, in turns; 6
  --seconds S     for how long each time; 2
  --node VERSION  the Node that is measured, from the registry: 24; default: the one that runs this
  --busy          measures even while other programs use the machine`

const subjects = ['bare-buffered', 'sluice-node']
const load = { connections: 32, path, body: small }
/** Requests of each process before it is profiled: the engine makes its code faster until then. */
const warmUpRequests = 40_000

const { values } = parseArgs({
  args: process.argv.slice(2).filter(argument => argument !== '--'),
  options: {
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '2' },
    node: { type: 'string' },
    busy: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
try {
  if (values.help) console.log(usage)
  else await profileServers()
} catch (error) {
  console.error(error instanceof BusyMachineError ? error.message : error)
  process.exit(1)
}

async function profileServers(): Promise<void> {
  const node = nodeOf(values.node)
  const cores = shareCores()
  const upstream = await startUpstream()
  const runtime = { node: node.path, pinned: cores.server, sources: false }
  const servers = await Promise.all(subjects.map(name => Subject.start(name, upstream.url, runtime)))
  try {
    for (const server of servers) await ask(server, { seconds: 0, atLeast: warmUpRequests })
    const rounds = await inTurns(
      { rounds: Number(values.rounds), busy: values.busy },
      servers.map(server => () => microsByPackage(server, Number(values.seconds))),
    )
    console.log(`Node ${node.version}, ${rounds.length} rounds of ${values.seconds} s; ${cores.said}`)
    print(rounds)
  } finally {
    await Promise.all(servers.map(server => server.stop()))
    await upstream.stop()
  }
}

function ask({ port, headers }: Subject, much: { readonly seconds: number; readonly atLeast?: number }) {
  return drive({ ...load, ...much, port, headers: { ...asAnn, ...headers } })
}

/** Microseconds of a request by package. */
async function microsByPackage(server: Subject, seconds: number): Promise<ReadonlyMap<string, number>> {
  const { cpuMicros, done } = await server.during(() => ask(server, { seconds }))
  const samples = samplesByPackage(await server.profile(() => ask(server, { seconds })))
  const all = [...samples.values()].reduce((sum, count) => sum + count, 0)
  const perSample = cpuMicros / done.requests / all
  return new Map([...samples].map(([name, count]) => [name, count * perSample]))
}

/** A line for each package, with the median of all rounds, and the least and the most. */
function print(rounds: readonly (readonly ReadonlyMap<string, number>[])[]): void {
  const told = (micros: readonly number[]) => {
    const [least, middle, most] = [0, 0.5, 1].map(share => quantile(micros, share).toFixed(1))
    return `${middle} us (${least} to ${most})`
  }
  const microsOf = (server: number, name: string) => rounds.map(round => round[server]!.get(name) ?? 0)
  const last = subjects.length - 1
  const names = [...new Set(rounds.flat().flatMap(micros => [...micros.keys()]))].toSorted(
    (one, other) => median(microsOf(last, other)) - median(microsOf(last, one)),
  )
  const line = (name: string, cells: readonly string[]) =>
    console.log(`${name.padEnd(58)}${cells.map(cell => cell.padStart(26)).join('')}`)
  line('', subjects)
  for (const name of names)
    line(
      name,
      subjects.map((_, server) => told(microsOf(server, name))),
    )
  const sumOf = (micros: ReadonlyMap<string, number>) =>
    [...micros.values()].reduce((sum, one) => sum + one, 0)
  line(
    'all',
    subjects.map((_, server) => told(rounds.map(round => sumOf(round[server]!)))),
  )
}
