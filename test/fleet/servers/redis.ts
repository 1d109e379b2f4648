import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { addresses, ports, redisName } from '../network/addresses.ts'
import { type FleetContext, Program, until } from './program.ts'

type RedisHost = 'redis-1' | 'redis-2'

/** Redis with a replica, and the name that gateways know, which is that of one of both. */
export class RedisPair {
  readonly #context: FleetContext
  readonly #programs = new Map<RedisHost, Program>()
  readonly #clients = new Map<RedisHost, Redis>()
  #master: RedisHost = 'redis-1'

  private constructor(context: FleetContext) {
    this.#context = context
  }

  static async start(context: FleetContext): Promise<RedisPair> {
    const pair = new RedisPair(context)
    await pair.#start('redis-1')
    await pair.#start('redis-2', ['--replicaof', `${addresses['redis-1']} ${ports.redis}`])
    await until(
      async () => (await pair.#client('redis-2').info('replication')).includes('master_link_status:up'),
      20_000,
    )
    pair.#name('redis-1')
    return pair
  }

  /** The server that the gateways use. */
  get client(): Redis {
    return this.#client(this.#master)
  }

  /** How far the replica is behind, in bytes of the replication stream. */
  async lagBytes(): Promise<number> {
    const [master, replica] = await Promise.all([offset(this.client), offset(this.#client(this.#replica))])
    return master - replica
  }

  /** The host of the master is gone: its link, and then its process. */
  async loseMaster(): Promise<void> {
    await this.#context.network.link(this.#master, 'down')
    await this.#programs.get(this.#master)?.kill()
    this.#client(this.#master).disconnect()
    this.#clients.delete(this.#master)
  }

  /** The replica becomes the master and gets the name. */
  async promote(): Promise<void> {
    this.#master = this.#replica
    await this.client.replicaof('NO', 'ONE')
    this.#name(this.#master)
  }

  /** As planned: the server stops its clients until the replica knows everything, and then is its replica. */
  async switchRoles(): Promise<void> {
    const [former, next] = [this.client, this.#client(this.#replica)]
    await former.call('FAILOVER', 'TO', addresses[this.#replica], ports.redis)
    await until(async () => (await next.info('replication')).includes('role:master'), 10_000)
    this.#master = this.#replica
  }

  /** Gives the name to the present master. */
  rename(): void {
    this.#name(this.#master)
  }

  close(): void {
    for (const client of this.#clients.values()) client.disconnect()
  }

  /** The file is `/etc/hosts` of all hosts of the fleet. */
  #name(host: RedisHost): void {
    writeFileSync(
      join(this.#context.folder, 'hosts'),
      `127.0.0.1 localhost\n${addresses[host]} ${redisName}\n`,
    )
  }

  get #replica(): RedisHost {
    return this.#master === 'redis-1' ? 'redis-2' : 'redis-1'
  }

  async #start(host: RedisHost, more: readonly string[] = []): Promise<void> {
    const dir = join(this.#context.folder, host)
    mkdirSync(dir, { recursive: true })
    const settings = [
      '--dir',
      dir,
      '--port',
      String(ports.redis),
      '--bind',
      '0.0.0.0',
      '--protected-mode',
      'no',
    ]
    const stores = ['--save', '', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction']
    const command = ['redis-server', ...settings, ...stores, '--repl-diskless-sync-delay', '0', ...more]
    const program = Program.start(this.#context, host, command)
    this.#programs.set(host, program)
    const client = new Redis(ports.redis, addresses[host], { retryStrategy: () => 100 })
    client.on('error', () => {})
    this.#clients.set(host, client)
    await program.until(async () => (await client.ping()) === 'PONG')
  }

  #client(host: RedisHost): Redis {
    const client = this.#clients.get(host)
    if (client === undefined) throw new Error(`${host} is gone.`)
    return client
  }
}

async function offset(client: Redis): Promise<number> {
  const info = await client.info('replication')
  const field = /^role:master/m.test(info) ? 'master_repl_offset' : 'slave_repl_offset'
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1])
}
