import {
  type HistoryListener,
  SimulationSummary,
  shrinkSimulation,
  simulate,
} from '@sluice/testing/simulation'
import { fleetOptions, fleetParts } from './fleet.ts'

// Arguments: the numbers of requests and of gateways, the seed, and `shrink`. Prints JSON, and exits with 1 if an invariant does
// not hold. With `shrink` it then looks for the smallest simulation that fails. Once a minute it tells on stderr how far it is.

const [requests = 10_000, gateways = 10, seed = 1] = process.argv.slice(2, 5).map(Number)
const size = { seed, gateways, requests }
const summary = new SimulationSummary()
const began = performance.now()
let lastToldAt = began
let ended = 0
const progress: HistoryListener = {
  record: record => {
    if (record.type !== 'request' || record.attempt > 0 || ++ended % 1_000 > 0) return
    const now = performance.now()
    if (now - lastToldAt < 60_000) return
    lastToldAt = now
    console.error(`${ended} of ${requests} requests after ${Math.round((now - began) / 1_000)} s`)
  },
}
const result = await simulate({ ...fleetOptions(size, fleetParts(size)), listeners: [summary, progress] })
const { user, system } = process.cpuUsage()
const measured = {
  seconds: (performance.now() - began) / 1_000,
  cpuMsPerRequest: (user + system) / 1_000 / requests,
  maxRssMiB: process.resourceUsage().maxRSS / 1_024,
  node: process.version,
}
const isShrunk = process.argv[5] === 'shrink' && result.violations.length > 0
const shrunk = isShrunk
  ? await shrinkSimulation({ options: parts => fleetOptions(size, parts), parts: fleetParts(size) })
  : undefined
console.log(JSON.stringify({ ...size, ...result, report: summary.report(), measured, shrunk }, null, 2))
if (result.violations.length > 0) process.exitCode = 1
