import { createGateway, type EndEvent, observers, type Target, type Timer, UpstreamError } from '@sluice/core'
import { type BatchedLedger, batchedLedger } from '@sluice/core/ledger'
import type { MemoryLimitStore } from '@sluice/core/limits'
import type { SharedHealth } from '@sluice/core/store'
import type { ReachableGateway } from './clients.ts'
import type { ChargedTarget, History } from './history.ts'
import type { LedgerDatabase } from './ledger-database.ts'
import { seededIds } from './random-streams.ts'
import type { Scheduler } from './scheduler.ts'
import { SimulatedProcess } from './simulated-process.ts'
import type { GatewayEnvironment, SimulationOptions } from './simulation-options.ts'
import { Link, linkedHealth, linkedLimitStore } from './store-link.ts'
import type { SimulatedUpstream } from './upstream-model.ts'

/** What all machines of a simulation share. */
export interface SharedParts {
  readonly options: SimulationOptions
  readonly streams: (name: string) => () => number
  readonly scheduler: Scheduler
  readonly history: History
  readonly limitStore: MemoryLimitStore
  readonly database: LedgerDatabase
  readonly health: SharedHealth
  readonly upstreamOf: (name: string) => SimulatedUpstream
  /** Called when a process crashes or starts. */
  readonly changed: () => void
}

type StoreName = 'limits' | 'ledger' | 'health'

/** How long a crashed process is down, in milliseconds. */
const defaultDownMs = 5_000

/** The machine of one gateway: it runs its process, and another one after a crash. */
export class GatewayMachine {
  readonly #index: number
  readonly #shared: SharedParts
  readonly #skewMs: number
  /** Sequences of random numbers that go on after a crash. */
  readonly #random: () => number
  readonly #ids: RequestIds
  readonly #claimIds: () => string
  readonly #links: Readonly<Record<StoreName, () => number>>
  #running: RunningGateway | undefined
  readonly #crashes: readonly Timer[]

  constructor(index: number, shared: SharedParts) {
    this.#index = index
    this.#shared = shared
    const { options, streams, scheduler } = shared
    const { skewMs = 0, crashes = [] } = options
    this.#skewMs = Math.round((2 * streams(`skew ${index}`)() - 1) * skewMs)
    this.#random = streams(`gateway ${index}`)
    this.#ids = new RequestIds(seededIds(streams(`ids ${index}`)))
    this.#claimIds = seededIds(streams(`claims ${index}`))
    this.#links = {
      limits: streams(`limits link ${index}`),
      ledger: streams(`ledger link ${index}`),
      health: streams(`health link ${index}`),
    }
    this.#crashes = crashes
      .filter(({ gateway }) => gateway === index)
      .map(({ atMs, downMs = defaultDownMs }) => scheduler.after(atMs, () => this.#crash(downMs)))
    this.#running = this.#start()
  }

  /** The gateway, while its process lives. */
  get reachable(): ReachableGateway | undefined {
    return this.#running?.reachable
  }

  /** No crash happens from now on. A process that is down starts in its time. */
  cancelCrashes(): void {
    for (const crash of this.#crashes) crash.cancel()
  }

  /** Stops the gateway and its ledger. */
  async stop(): Promise<void> {
    await this.#running?.close()
  }

  #crash(downMs: number): void {
    const { scheduler, history, changed } = this.#shared
    const crashed = this.#running
    // It is still down.
    if (crashed === undefined) return
    this.#running = undefined
    changed()
    crashed.reachable.process.crash()
    history.record({ type: 'crash', at: scheduler.now, gateway: this.#index })
    scheduler.after(downMs, () => {
      this.#running = this.#start()
      changed()
    })
  }

  #start(): RunningGateway {
    const { options, scheduler, history, limitStore, database, health, upstreamOf } = this.#shared
    const { stores = {} } = options
    const gateway = this.#index
    const process = new SimulatedProcess(gateway, this.#skewMs, this.#crashes.length > 0, scheduler)
    const linkTo = (store: StoreName) => new Link(process, stores[store] ?? {}, this.#links[store], scheduler)
    const ledger = batchedLedger(database.linked(process, linkTo('ledger')), {
      clock: process.clock,
      observe: event => {
        if (event.type === 'store') history.record({ type: 'state', at: scheduler.now, gateway, event })
      },
    })
    const environment: GatewayEnvironment = {
      index: gateway,
      clock: process.clock,
      storeClock: scheduler.clock,
      random: this.#random,
      generateId: this.#claimIds,
      limitStore: linkedLimitStore(limitStore, process, linkTo('limits'), scheduler, history),
      sharedHealth: linkedHealth(health, linkTo('health')),
      ledger,
      simulated: simulatedTargets(process, upstreamOf),
    }
    const given = options.createOptions(environment)
    const created = createGateway({
      transport: (request): Promise<never> => {
        const error = new UpstreamError(
          `A call to ${new URL(request.url).host} is not simulated: wrap its target in \`simulated\`.`,
          { kind: 'unreachable' },
        )
        history.fail(error)
        return Promise.reject(error)
      },
      ...given,
      clock: process.clock,
      random: this.#random,
      generateId: this.#ids.next,
      observe: observers(given.observe ?? (() => {}), event => {
        if (event.type === 'target' || event.type === 'store') {
          history.record({ type: 'state', at: scheduler.now, gateway, event })
        } else if (event.type === 'discarded_call') reportCharge(event, event.attempt, history)
        else if (event.type === 'end') {
          const called = event.attempts.filter(attempt => attempt.called)
          const final = called.find(({ error }) => error === undefined) ?? called.at(-1)
          reportCharge(event, final, history)
          if (event.outcome === 'internal_error') {
            history.fail(event.error instanceof Error ? event.error : new Error(String(event.error)))
          }
        }
      }),
    })
    const reachable: ReachableGateway = {
      process,
      fetch: (request, context) => this.#ids.idOf(() => created.fetch(request, context)),
      basePath: given.basePath ?? '/v1',
    }
    return { reachable, close: () => closeAll(created, ledger) }
  }
}

function reportCharge(
  { cost, usage }: Pick<EndEvent, 'cost' | 'usage'>,
  target: ChargedTarget | undefined,
  history: History,
): void {
  if (cost !== null) history.charged(cost)
  else if (usage !== undefined && target !== undefined) history.unpriced(target)
}

interface RunningGateway {
  readonly reachable: ReachableGateway
  readonly close: () => Promise<void>
}

async function closeAll(gateway: { close(): Promise<unknown> }, ledger: BatchedLedger): Promise<void> {
  await gateway.close()
  await ledger.stop()
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
  process: SimulatedProcess,
  upstreamOf: (name: string) => SimulatedUpstream,
): (target: Target) => Target {
  const providers = new Map<Target['provider'], Target['provider']>()
  return target => {
    const { provider } = target
    let own = providers.get(provider)
    if (own === undefined) {
      own = { ...provider, transport: upstreamOf(provider.name).transport(process) }
      providers.set(provider, own)
    }
    return { ...target, provider: own }
  }
}
