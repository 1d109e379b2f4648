import { type SimulationResult, simulate } from './simulate.ts'
import type { SimulationOptions } from './simulation-options.ts'
import type { UpstreamModel } from './upstream-model.ts'

/** A simulation that may be made smaller. */
export interface ShrinkableSimulation {
  /** Returns the options for one run: with new invariants each time, which fit the given parts. */
  readonly options: (parts: SimulationParts) => SimulationOptions
  readonly parts: SimulationParts
}

/** The parts of a simulation that shrinking leaves out. */
export interface SimulationParts
  extends Pick<SimulationOptions, 'upstreams' | 'stores' | 'crashes' | 'skewMs' | 'traffic'> {
  readonly gateways: number
}

/** The smallest simulation that was found to fail. */
export interface ShrunkSimulation {
  readonly parts: SimulationParts
  readonly result: SimulationResult
  /** Number of simulations that ran. */
  readonly runs: number
}

/**
 * Makes a failing simulation smaller while it fails by the same invariant: fewer requests and gateways, and without the outages,
 * partitions, crashes, skew, failures, retries and groups of clients that it does not need. Returns `undefined` if it does not fail.
 *
 * @param maxRuns Maximum number of simulations. Default 200.
 */
export async function shrinkSimulation(
  { options, parts }: ShrinkableSimulation,
  maxRuns = 200,
): Promise<ShrunkSimulation | undefined> {
  let runs = 1
  const first = await simulate(options(parts))
  const [violation] = first.violations
  if (violation === undefined) return undefined
  let smallest = { parts, result: first }
  const isFailing = async (candidate: SimulationParts): Promise<boolean> => {
    runs++
    const result = await simulate(options(candidate)).catch(() => undefined)
    if (!result?.violations.some(({ invariant }) => invariant === violation.invariant)) return false
    smallest = { parts: candidate, result }
    return true
  }
  for (let isSmaller = true; isSmaller && runs < maxRuns; ) {
    isSmaller = false
    for (const candidate of candidates(smallest.parts, smallest.result)) {
      if (runs >= maxRuns) break
      if (!(await isFailing(candidate))) continue
      isSmaller = true
      break
    }
  }
  return { ...smallest, runs }
}

/** Simulations that are smaller than one, the smallest first of each kind. */
function* candidates(
  parts: SimulationParts,
  { requests, violations }: SimulationResult,
): Generator<SimulationParts> {
  const { traffic, gateways, upstreams = {}, stores = {}, crashes = [], skewMs = 0 } = parts
  const withRequests = (maxRequests: number): SimulationParts => ({
    ...parts,
    traffic: { ...traffic, maxRequests },
  })
  const noticed = Math.min(...violations.map(violation => violation.requests))
  for (const fewer of [noticed, requests >> 1, (requests * 3) >> 2, requests - 1]) {
    if (fewer >= 1 && fewer < requests) yield withRequests(fewer)
  }
  for (const fewer of [1, gateways >> 1, gateways - 1]) {
    if (fewer < 1 || fewer >= gateways) continue
    const left = crashes.filter(({ gateway }) => gateway < fewer)
    yield { ...parts, gateways: fewer, ...(crashes.length > 0 && { crashes: left }) }
  }
  const { clients } = traffic
  for (const [index, group] of clients.entries()) {
    const withClients = (list: typeof clients): SimulationParts => ({
      ...parts,
      traffic: { ...traffic, clients: list },
    })
    if (clients.length > 1) yield withClients(clients.filter((_, at) => at !== index))
    for (const member of ['retries', 'disconnects', 'bursts', 'diurnal'] as const) {
      if (group[member] === undefined) continue
      const { [member]: _, ...rest } = group
      yield withClients(clients.map((each, at) => (at === index ? rest : each)))
    }
  }
  for (const left of eachLeftOut(crashes)) yield { ...parts, crashes: left }
  if (skewMs > 0) yield { ...parts, skewMs: 0 }
  for (const [name, model] of Object.entries(upstreams)) {
    const withModel = (changed: UpstreamModel): SimulationParts => ({
      ...parts,
      upstreams: { ...upstreams, [name]: { ...model, ...changed } },
    })
    for (const outages of eachLeftOut(model.outages)) yield withModel({ outages })
    for (const failures of eachLeftOut(model.failures)) yield withModel({ failures })
  }
  for (const name of ['limits', 'ledger', 'health'] as const) {
    for (const partitions of eachLeftOut(stores[name]?.partitions)) {
      yield { ...parts, stores: { ...stores, [name]: { ...stores[name], partitions } } }
    }
  }
}

/** Returns a list without each of its items. */
function eachLeftOut<Item>(list: readonly Item[] = []): readonly (readonly Item[])[] {
  return list.map((_, index) => list.filter((_, at) => at !== index))
}
