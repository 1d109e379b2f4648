import { memoryProcessStores } from '@sluice/core/adapter'
import { memoryLimitStore } from '@sluice/core/limits'
import { Clients, type ReachableGateway } from './clients.ts'
import { GatewayMachine, type SharedParts } from './gateway-machine.ts'
import { History } from './history.ts'
import type { Violation } from './invariant.ts'
import { LedgerDatabase } from './ledger-database.ts'
import { randomStreams } from './random-streams.ts'
import { Scheduler } from './scheduler.ts'
import type { Crash } from './simulated-process.ts'
import type { SimulationOptions } from './simulation-options.ts'
import { SimulatedUpstream } from './upstream-model.ts'

/** The result of a simulation. */
export interface SimulationResult {
  readonly seed: number
  /** Number of requests of clients, without their retries. */
  readonly requests: number
  /** Virtual milliseconds from the beginning until nothing was left to do. */
  readonly simulatedMs: number
  /** Number of events on the virtual clock. */
  readonly events: number
  /** SHA-256 of all lines of the history, in hexadecimal digits: the same for the same options, seed and version. */
  readonly digest: string
  /** What did not hold. */
  readonly violations: readonly Violation[]
}

const newYear = Date.UTC(2026, 0, 1)
/** How long stores have after the last request to get what is pending, in milliseconds. */
const settleMs = 120_000

/**
 * Runs gateways on a virtual clock, with modelled upstreams, stores and clients. The gateways are those of `createGateway`, with
 * their limits, routing, health and ledger; nothing of them is replaced but the clock, random numbers, the transport and the
 * links to stores. The same options and the same seed give the same history, byte for byte.
 *
 * Rejects if a model cannot answer a request, or if a gateway waits for real I/O.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed = 1, gateways: count = 1, startAt = newYear, traffic, invariants = [], signal } = options
  checkCrashes(options.crashes ?? [], count)
  checkSkew(options.skewMs ?? 0)
  const streams = randomStreams(seed)
  const scheduler = new Scheduler(startAt)
  const history = new History([...invariants, ...(options.listeners ?? [])], options.onLine)
  const limitStore = memoryLimitStore({ now: () => startAt + scheduler.now, maxKeys: 1_000_000 })
  const database = new LedgerDatabase(scheduler, history)
  const upstreams = new Map<string, SimulatedUpstream>()
  const upstreamOf = (name: string) => {
    const known = upstreams.get(name)
    if (known !== undefined) return known
    const model = options.upstreams?.[name] ?? {}
    const upstream = new SimulatedUpstream(name, model, streams(`upstream ${name}`), scheduler, history)
    upstreams.set(name, upstream)
    return upstream
  }
  const health = memoryProcessStores(count, scheduler.clock.monotonic).health
  let reachable: readonly ReachableGateway[] | undefined
  const shared: SharedParts = {
    options,
    streams,
    scheduler,
    history,
    limitStore,
    database,
    health,
    upstreamOf,
    changed: () => {
      reachable = undefined
    },
  }
  const machines = Array.from({ length: count }, (_, index) => new GatewayMachine(index, shared))
  const clients = new Clients(
    traffic,
    () => (reachable ??= machines.flatMap(machine => machine.reachable ?? [])),
    streams,
    scheduler,
    history,
  )
  const check = () => {
    signal?.throwIfAborted()
    if (history.failure !== undefined) throw history.failure
  }
  await scheduler.runUntil(() => {
    check()
    return clients.done
  })
  for (const machine of machines) machine.cancelCrashes()
  // Pending settlements and records reach their stores, which may just be back.
  await scheduler.runFor(settleMs)
  let stopped = false
  const stopping = Promise.all(machines.map(machine => machine.stop())).finally(() => {
    stopped = true
  })
  await scheduler.runUntil(() => stopped)
  await stopping
  check()
  const end = { now: scheduler.now, activeClaims: limitStore.held, openRecords: database.open }
  return {
    seed,
    requests: clients.requests,
    simulatedMs: scheduler.now,
    events: scheduler.events,
    digest: history.digest(),
    violations: invariants.flatMap(invariant => invariant.violations(end)),
  }
}

function checkSkew(skewMs: number): void {
  if (Number.isFinite(skewMs) && skewMs >= 0) return
  throw new TypeError(`skewMs is ${skewMs}, expected milliseconds from 0.`)
}

function checkCrashes(crashes: readonly Crash[], gateways: number): void {
  const isTime = (ms: number) => Number.isFinite(ms) && ms >= 0
  for (const { gateway, atMs, downMs = 0 } of crashes) {
    if (Number.isInteger(gateway) && gateway >= 0 && gateway < gateways && isTime(atMs) && isTime(downMs))
      continue
    throw new TypeError(
      `The crash of gateway ${gateway} at ${atMs} ms for ${downMs} ms is invalid: expected a gateway below ${gateways}, and milliseconds from 0.`,
    )
  }
}
