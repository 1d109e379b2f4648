import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { shareCores } from './cores.ts'
import { measureAborts } from './measures/abort.ts'
import { measureEvents } from './measures/events.ts'
import { measureHooks } from './measures/hooks.ts'
import { measureIdle } from './measures/idle.ts'
import { measureImport } from './measures/import.ts'
import { measureLarge } from './measures/large.ts'
import { measureMessages } from './measures/messages.ts'
import { measureRedis } from './measures/redis.ts'
import { measureRequests, type Served } from './measures/requests.ts'
import { measureResponses } from './measures/responses.ts'
import { nodeOf } from './node-of.ts'
import { type Options, optionsOf, usage } from './options.ts'
import { type Plan, quick, usual } from './plan.ts'
import { printRows, printServed } from './report/print.ts'
import { save } from './report/save.ts'
import { loadNow, resultOf } from './result.ts'
import type { Row, RowId } from './row.ts'
import { startUpstream } from './upstream.ts'

// What Sluice costs, measured beside servers that do less, and held against what is to be reached. Run it with
//   npx -y pnpm bench

try {
  const options = optionsOf(process.argv.slice(2))
  if (options.help) console.log(usage)
  else await bench(options)
} catch (error) {
  console.error(error instanceof TypeError ? `${error.message}\n\n${usage}` : error)
  // What was started is ended with this process.
  process.exit(1)
}

async function bench(options: Options): Promise<void> {
  const load = loadNow()
  if (load > 1) console.log(`MIND: others use this machine, its load is ${load}: figures are worth little.`)
  const node = nodeOf(options.node)
  const cores = shareCores()
  const upstream = await startUpstream()
  const sizes = options.quick ? quick : usual
  const plan: Plan = {
    ...sizes,
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
    const { served, rows } = await measure(plan, options.only)
    const result = resultOf(plan, { node: node.version, load }, served, rows)
    if (options.json !== undefined) {
      mkdirSync(dirname(options.json), { recursive: true })
      writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`)
    }
    if (options.save) save(result)
  } finally {
    await upstream.stop()
  }
}

/** Measures all, or what is asked for; prints each as soon as it is known. */
async function measure(plan: Plan, only: RowId | undefined): Promise<{ served: Served[]; rows: Row[] }> {
  const wants = (...ids: readonly RowId[]) => only === undefined || ids.includes(only)
  const rows: Row[] = []
  let served: Served[] = []
  if (wants('cpu', 'peers', 'latency')) {
    const requests = await measureRequests(plan)
    served = requests.served
    rows.push(...requests.rows)
    console.log('Small requests, 230 bytes; in brackets: against the bare buffered proxy')
    printServed(served)
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
    ['import', measureImport],
  ]
  for (const [id, measureIt] of others) if (wants(id)) rows.push(...(await measureIt(plan)))
  console.log('What to reach')
  printRows(rows.filter(({ id }) => wants(id)))
  return { served, rows }
}
