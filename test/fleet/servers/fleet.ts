import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres } from '@sluice/postgres'
import { seededRandom } from '@sluice/testing'
import pg from 'pg'
import { addresses, type GatewayName, gateways } from '../network/addresses.ts'
import { Network } from '../network/network.ts'
import { closeClient } from '../traffic/client.ts'
import { Load } from '../traffic/load.ts'
import { limitsOf, type TenantName, tenantNames } from '../traffic/tenants.ts'
import { Gateway, type LogLine } from './gateway.ts'
import { startNginx } from './nginx.ts'
import { PostgresPair } from './postgres.ts'
import type { FleetContext } from './program.ts'
import { RedisPair } from './redis.ts'
import { startUpstreams, type UpstreamRecords } from './upstreams.ts'

/** Four gateways behind nginx, with their stores and upstreams, each on a host of its own. */
export class Fleet {
  readonly network: Network
  readonly redis: RedisPair
  readonly postgres: PostgresPair
  readonly upstream: UpstreamRecords
  /** Of each tenant. */
  readonly keys: Readonly<Record<string, string>>
  readonly principals: Readonly<Record<string, string>>
  readonly random: () => number
  readonly #context: FleetContext
  /** The one that runs on each host, and those that ran there before. */
  readonly #gateways = new Map<GatewayName, Gateway>()
  readonly #former: Gateway[] = []

  private constructor(
    context: FleetContext,
    stores: {
      readonly redis: RedisPair
      readonly postgres: PostgresPair
      readonly upstream: UpstreamRecords
    },
    issued: { readonly keys: Record<string, string>; readonly principals: Record<string, string> },
    random: () => number,
  ) {
    this.#context = context
    this.network = context.network
    this.redis = stores.redis
    this.postgres = stores.postgres
    this.upstream = stores.upstream
    this.keys = issued.keys
    this.principals = issued.principals
    this.random = random
  }

  static async start(folder: string, seed: number, report: (line: string) => void): Promise<Fleet> {
    const network = await Network.start(seed)
    const context: FleetContext = { network, folder }
    report('network')
    const [redis, postgres, upstream] = await Promise.all([
      RedisPair.start(context),
      PostgresPair.start(context),
      startUpstreams(context),
    ])
    report('Redis with its replica, PostgreSQL with its standby, PgBouncer, 3 upstreams')
    const issued = await issueKeys(postgres.url)
    const fleet = new Fleet(context, { redis, postgres, upstream }, issued, seededRandom(seed))
    for (const name of gateways) await fleet.startGateway(name)
    await startNginx(context)
    report('4 gateways, nginx')
    return fleet
  }

  get origin(): string {
    return `http://${addresses.nginx}`
  }

  /** The lines of the request logs of all gateways, also of those that have ended. */
  get lines(): readonly LogLine[] {
    return [...this.#former, ...this.#gateways.values()].flatMap(({ lines }) => lines)
  }

  /** The gateways that run. */
  get running(): readonly Gateway[] {
    return [...this.#gateways.values()].filter(({ running }) => running)
  }

  gateway(name: GatewayName): Gateway {
    const gateway = this.#gateways.get(name)
    if (gateway === undefined) throw new Error(`There is no ${name}.`)
    return gateway
  }

  async startGateway(name: GatewayName, clockShiftMs = 0): Promise<void> {
    const former = this.#gateways.get(name)
    if (former !== undefined) this.#former.push(former)
    this.#gateways.set(name, await Gateway.start(this.#context, name, this.postgres.url, clockShiftMs))
  }

  load(prefix: string): Load {
    return new Load(prefix, this.origin, this.keys, this.random)
  }

  /** Waits until something holds, or for `ms` milliseconds: then the comparison shows what is missing. */
  async settle(holds: () => Promise<boolean>, ms: number): Promise<void> {
    const deadline = performance.now() + ms
    while (performance.now() < deadline && !(await holds())) await sleep(200)
  }

  async close(): Promise<void> {
    closeClient()
    await Promise.all(this.running.map(gateway => gateway.stop()))
    this.redis.close()
    await this.network.close()
  }
}

async function issueKeys(url: string) {
  const pool = new pg.Pool({ connectionString: url })
  pool.on('error', () => {})
  const database = await openPostgres(pool, { migrate: true })
  const keys: Partial<Record<TenantName, string>> = {}
  const principals: Partial<Record<TenantName, string>> = {}
  for (const name of tenantNames) {
    const { key, stored } = await database.keys.issue({ name, limits: limitsOf[name] })
    keys[name] = key
    principals[name] = stored.id
  }
  await database.close()
  await pool.end()
  return { keys, principals }
}
