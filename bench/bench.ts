import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { shareCores } from './cores.ts'
import { measureAborts } from './measures/abort.ts'
import { measureEvents } from './measures/events.ts'
import { measureHooks } from './measures/hooks.ts'
import { measureIdle } from './measures/idle.ts'
import { measureImport } from './measures/import.ts'
import { measureLarge } from './measures/large.ts'
import { measureMessages } from './measures/messages.ts'
import { measurePeers, type PeerServed } from './measures/peers.ts'
import { measurePostgres } from './measures/postgres.ts'
import { measureRedis } from './measures/redis.ts'
import { measureRequests, type Served } from './measures/requests.ts'
import { measureResponses } from './measures/responses.ts'
import { nodeOf } from './node-of.ts'
import { type Options, optionsOf, usage } from './options.ts'
import { BusyMachineError, tolerated, watchOthers } from './others.ts'
import { type Plan, quick, usual } from './plan.ts'
import { printPeers, printRows, printServed } from './report/print.ts'
import { save } from './report/save.ts'
import { resultOf } from './result.ts'
import { middleOf, type Row, type RowId } from './row.ts'
import { startUpstream } from './upstream.ts'

// What Sluice costs, measured beside servers that do less, and held against what is to be reached. Run it with
//   npx -y pnpm bench

try {
  const options = optionsOf(process.argv.slice(2))
  if (options.help) console.log(usage)
  else await bench(options)
} catch (error) {
  if (error instanceof BusyMachineError) console.error(error.message)
  else console.error(error instanceof TypeError ? `${error.message}\n\n${usage}` : error)
  // What was started is ended with this process.
  process.exit(1)
}

async function bench(options: Options): Promise<void> {
  if (options.busy) console.log('Other programs are not watched: their work is in the figures.')
  else await refuseBusyMachine()
  const node = nodeOf(options.node)
  const cores = shareCores()
  const upstream = await startUpstream()
  const sizes = options.quick ? quick : usual
  const plan: Plan = {
    ...sizes,
    busy: options.busy,
    rounds: options.rounds ?? sizes.rounds,
    seconds: options.seconds ?? sizes.seconds,
    runtime: { node: node.path, pinned: cores.server, sources: options.sources },
    major: Number(/\d+/.exec(node.version)?.[0]),
    upstream,
    cores,
    peers: options.peers,
  }
  console.log(`Node ${node.version}, ${plan.rounds} rounds of ${plan.seconds} s; upstream: ${upstream.said}`)
  console.log(`${cores.said}\n`)
  try {
    const runs: Measured[] = []
    while (runs.length < options.runs) {
      if (options.runs > 1) console.log(`Run ${runs.length + 1} of ${options.runs}`)
      runs.push(await measure(plan, options.only))
    }
    const rows = middleOf(runs.map(run => run.rows))
    if (options.runs > 1) {
      console.log(`All ${options.runs} runs`)
      printRows(rows)
    }
    // The table of servers is that of the run in the middle, by the row that matters most.
    const middle = runs.find(run => run.rows[0]?.value === rows[0]?.value)
    const result = resultOf(
      plan,
      { node: node.version, runs: options.runs },
      middle ?? { served: [], peers: [] },
      rows,
    )
    if (options.json !== undefined) {
      mkdirSync(dirname(options.json), { recursive: true })
      writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`)
    }
    if (options.save) save(result)
  } finally {
    await upstream.stop()
  }
}

async function refuseBusyMachine(): Promise<void> {
  const others = watchOthers()
  await sleep(2_000)
  const share = others()
  if (share !== undefined && share > tolerated) throw new BusyMachineError(share)
}

interface Measured {
  readonly served: readonly Served[]
  readonly peers: readonly PeerServed[]
  readonly rows: readonly Row[]
}

/** Measures all, or what is asked for; prints each as soon as it is known. */
async function measure(plan: Plan, only: RowId | undefined): Promise<Measured> {
  const wants = (...ids: readonly RowId[]) => only === undefined || ids.includes(only)
  const rows: Row[] = []
  let served: Served[] = []
  let peers: PeerServed[] = []
  if (wants('cpu', 'peers', 'latency')) {
    const requests = await measureRequests(plan)
    served = requests.served
    rows.push(...requests.rows)
    console.log('Small requests, 230 bytes; in brackets: against the bare buffered proxy')
    printServed(served)
    console.log()
  }
  if (plan.peers && wants('peers')) {
    peers = await measurePeers(plan)
    console.log('Gateways as processes, one core each')
    printPeers(peers)
    console.log()
  }
  const others: readonly [RowId, (plan: Plan) => Row[] | Promise<Row[]>][] = [
    ['events', measureEvents],
    ['large', measureLarge],
    ['messages', measureMessages],
    ['responses', measureResponses],
    ['hooks', measureHooks],
    ['idle', measureIdle],
    ['abort', measureAborts],
    ['redis', measureRedis],
    ['postgres', measurePostgres],
    ['import', measureImport],
  ]
  for (const [id, measureIt] of others) if (wants(id)) rows.push(...(await measureIt(plan)))
  console.log('What to reach')
  const wanted = rows.filter(({ id }) => wants(id))
  printRows(wanted)
  return { served, peers, rows: wanted }
}
