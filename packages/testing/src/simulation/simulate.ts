import {
  type Clock,
  createGateway,
  type GatewayOptions,
  type LimitStore,
  observers,
  type Target,
  UpstreamError,
} from '@sluice/core'
import { type BatchedLedger, batchedLedger } from '@sluice/core/ledger'
import { memoryLimitStore } from '@sluice/core/limits'
import { Clients, type ReachableGateway } from './clients.ts'
import { History, type HistoryListener } from './history.ts'
import type { Invariant, Violation } from './invariant.ts'
import { randomStreams, seededIds } from './random-streams.ts'
import { Scheduler } from './scheduler.ts'
import { LedgerDatabase, linkedLimitStore, type StoreLink } from './store-link.ts'
import type { Traffic } from './traffic.ts'
import { SimulatedUpstream, type UpstreamModel } from './upstream-model.ts'

/** What one gateway of a simulation is made of, in place of what a process has. */
export interface GatewayEnvironment {
  /** The number of the gateway, from 0. */
  readonly index: number
  readonly clock: Clock
  /** Random numbers of this gateway, determined by the seed. */
  readonly random: () => number
  /** Returns ids of 32 hexadecimal digits, determined by the seed. */
  readonly generateId: () => string
  /** The limit store that all gateways share, over the link of this one. */
  readonly limitStore: LimitStore
  /** The ledger of this gateway, over its link to the database that all share: for the option `ledger`. */
  readonly ledger: BatchedLedger
  /** Returns a target whose calls go to the modelled upstream with the name of its provider. */
  readonly simulated: (target: Target) => Target
}

/** Options of `simulate`. */
export interface SimulationOptions {
  /** Determines all random numbers, and so the whole history: a whole number. Default 1. */
  readonly seed?: number
  /** Number of gateways behind one load balancer, which chooses at random. Default 1. */
  readonly gateways?: number
  /**
   * Returns the options of a gateway. The simulation adds its clock, random numbers and ids. Limiters and authenticators that
   * you create take `clock` of the environment.
   */
  readonly createOptions: (environment: GatewayEnvironment) => GatewayOptions
  /** The models of upstreams, by the names of providers. A provider that is not listed has the default model. */
  readonly upstreams?: Readonly<Record<string, UpstreamModel>>
  readonly stores?: {
    /** The link to the limit store. */
    readonly limits?: StoreLink
    /** The link to the database of the ledger. */
    readonly ledger?: StoreLink
  }
  readonly traffic: Traffic
  /** The date at the beginning, in milliseconds since 1970. Default: 2026-01-01, 00:00 UTC. */
  readonly startAt?: number
  /** What must hold. Each simulation needs new ones. Default: none. */
  readonly invariants?: readonly Invariant[]
  /** Further listeners to the history, such as `simulationReport()`. */
  readonly listeners?: readonly HistoryListener[]
  /** Called with each line of the history, a JSON object. */
  readonly onLine?: (line: string) => void
  /** Ends the simulation early: it rejects with the reason. */
  readonly signal?: AbortSignal
}

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
  const {
    seed = 1,
    gateways: count = 1,
    startAt = newYear,
    stores = {},
    traffic,
    invariants = [],
    signal,
  } = options
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
  const ledgers: BatchedLedger[] = []
  const running = Array.from({ length: count }, (_, index) => {
    const random = streams(`gateway ${index}`)
    const ids = new RequestIds(seededIds(streams(`ids ${index}`)))
    const ledger = batchedLedger(
      database.linked(index, stores.ledger ?? {}, streams(`ledger link ${index}`)),
      {
        clock: scheduler.clock,
        observe: event => {
          if (event.type === 'store')
            history.record({ type: 'state', at: scheduler.now, gateway: index, event })
        },
      },
    )
    ledgers.push(ledger)
    const simulated = simulatedTargets(index, upstreamOf)
    const environment: GatewayEnvironment = {
      index,
      clock: scheduler.clock,
      random,
      generateId: seededIds(streams(`claims ${index}`)),
      limitStore: linkedLimitStore(
        limitStore,
        index,
        stores.limits ?? {},
        streams(`limits link ${index}`),
        scheduler,
        history,
      ),
      ledger,
      simulated,
    }
    const given = options.createOptions(environment)
    const gateway = createGateway({
      transport: (request): Promise<never> => {
        const error = new UpstreamError(
          `A call to ${new URL(request.url).host} is not simulated: wrap its target in \`simulated\`.`,
          { kind: 'unreachable' },
        )
        history.fail(error)
        return Promise.reject(error)
      },
      ...given,
      clock: scheduler.clock,
      random,
      generateId: ids.next,
      observe: observers(given.observe ?? (() => {}), event => {
        if (event.type === 'target' || event.type === 'store') {
          history.record({ type: 'state', at: scheduler.now, gateway: index, event })
        } else if (event.type === 'discarded_call') history.charged(event.cost ?? 0)
        else if (event.type === 'end') {
          history.charged(event.cost ?? 0)
          if (event.outcome === 'internal_error') {
            history.fail(event.error instanceof Error ? event.error : new Error(String(event.error)))
          }
        }
      }),
    })
    const reachable: ReachableGateway = {
      fetch: (request, context) => ids.idOf(() => gateway.fetch(request, context)),
      basePath: given.basePath ?? '/v1',
    }
    return { gateway, reachable }
  })
  const clients = new Clients(
    traffic,
    running.map(({ reachable }) => reachable),
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
  // Pending settlements and records reach their stores, which may just be back.
  await scheduler.runFor(settleMs)
  let stopped = false
  const stopping = Promise.all(running.map(({ gateway }) => gateway.close()))
    .then(() => Promise.all(ledgers.map(ledger => ledger.stop())))
    .finally(() => {
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

/** Ids of a gateway. The first one that a request generates is its own. */
class RequestIds {
  readonly next: () => string
  #first: string | undefined

  constructor(generate: () => string) {
    this.next = () => {
      const id = generate()
      this.#first ??= id
      return id
    }
  }

  /** Returns what `begin` returns, and the id of the request that it begins. */
  idOf<T>(begin: () => T): readonly [result: T, requestId: string] {
    this.#first = undefined
    const result = begin()
    return [result, `req_${this.#first}`]
  }
}

/** Each gateway has providers of its own, as each process has: their health and their queues are not shared. */
function simulatedTargets(
  gateway: number,
  upstreamOf: (name: string) => SimulatedUpstream,
): (target: Target) => Target {
  const providers = new Map<Target['provider'], Target['provider']>()
  return target => {
    const { provider } = target
    let own = providers.get(provider)
    if (own === undefined) {
      own = { ...provider, transport: upstreamOf(provider.name).transport(gateway) }
      providers.set(provider, own)
    }
    return { ...target, provider: own }
  }
}
