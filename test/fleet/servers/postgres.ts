import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { postgresBin } from '../../stores/servers/postgres-server.ts'
import { addresses, type HostName, ports } from '../network/addresses.ts'
import { type FleetContext, Program, until } from './program.ts'

type PostgresHost = 'postgres-1' | 'postgres-2'

const user = 'sluice'
/** PostgreSQL and PgBouncer do not run as root. */
const asPostgres = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--']

/** Where all of its programs are: a link may lead to some of them only. */
const bin = postgresBin === undefined ? '' : dirname(realpathSync(join(postgresBin, 'postgres')))

/** PostgreSQL with a synchronous standby, behind PgBouncer. */
export class PostgresPair {
  readonly #context: FleetContext
  readonly #programs = new Map<HostName, Program>()
  #primary: PostgresHost = 'postgres-1'

  private constructor(context: FleetContext) {
    this.#context = context
  }

  static async start(context: FleetContext): Promise<PostgresPair> {
    const pair = new PostgresPair(context)
    await pair.#startPrimary()
    await pair.#startStandby()
    // Only now: it would wait for a standby, and the standby would have copied the setting.
    await pair.query("alter system set synchronous_standby_names = '*'")
    await pair.query('select pg_reload_conf()')
    await until(async () => (await pair.standby()) === 'sync', 20_000)
    await pair.#startPgbouncer()
    return pair
  }

  /** For gateways: through PgBouncer. */
  get url(): string {
    return `postgres://${user}@${addresses.pgbouncer}:${ports.pgbouncer}/sluice`
  }

  /** Runs a statement on the primary itself. */
  query(text: string): Promise<Record<string, unknown>[]> {
    return queryAt(addresses[this.#primary], ports.postgres, 'postgres', text)
  }

  /** The state of replication of the standby: `sync`, `async` or `none`. */
  async standby(): Promise<string> {
    const [row] = await this.query('select sync_state from pg_stat_replication')
    return typeof row?.sync_state === 'string' ? row.sync_state : 'none'
  }

  /** The host of the primary is gone: its link, and then its processes. */
  async losePrimary(): Promise<void> {
    await this.#context.network.link(this.#primary, 'down')
    await this.#programs.get(this.#primary)?.kill()
  }

  /** The standby becomes the primary. Resolves when it accepts writes. */
  async promote(): Promise<void> {
    this.#primary = 'postgres-2'
    await this.query('select pg_promote(true, 30)')
  }

  /** Points PgBouncer to the present primary, and drops the connections that it had. */
  async repoint(): Promise<void> {
    this.#writePgbouncerConfig()
    for (const command of ['RELOAD', 'KILL sluice', 'RESUME sluice'])
      await queryAt(addresses.pgbouncer, ports.pgbouncer, 'pgbouncer', command)
  }

  async #startPrimary(): Promise<void> {
    const folder = this.#folderOf('postgres-1')
    await this.#run('postgres-1', [
      ...[join(bin, 'initdb'), '-D', join(folder, 'data'), '-U', user, '-A', 'trust'],
      ...['--no-sync', '-E', 'UTF8', '--locale=C'],
    ])
    appendFileSync(
      join(folder, 'data', 'pg_hba.conf'),
      'host all all 10.77.0.0/24 trust\nhost replication all 10.77.0.0/24 trust\n',
    )
    await this.#startServer('postgres-1')
  }

  async #startStandby(): Promise<void> {
    const folder = this.#folderOf('postgres-2')
    const source = ['-h', addresses['postgres-1'], '-p', String(ports.postgres), '-U', user]
    await this.#run('postgres-2', [
      ...[join(bin, 'pg_basebackup'), ...source, '-D', join(folder, 'data')],
      ...['-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
    ])
    await this.#startServer('postgres-2')
    await until(async () => (await this.standby()) !== 'none', 20_000)
  }

  async #startServer(host: PostgresHost): Promise<void> {
    const folder = this.#folderOf(host)
    const settings = {
      port: String(ports.postgres),
      listen_addresses: '*',
      unix_socket_directories: '',
      max_connections: '100',
      wal_level: 'replica',
      timezone: 'UTC',
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const command = [...asPostgres, join(bin, 'postgres'), '-D', join(folder, 'data'), ...flags]
    const program = Program.start(this.#context, host, command, { cwd: folder })
    this.#programs.set(host, program)
    await program.until(() => queryAt(addresses[host], ports.postgres, 'postgres', 'select 1'))
  }

  async #startPgbouncer(): Promise<void> {
    const folder = this.#folderOf('pgbouncer')
    writeFileSync(join(folder, 'users.txt'), `"${user}" ""\n`)
    this.#writePgbouncerConfig()
    const command = [...asPostgres, 'pgbouncer', join(folder, 'pgbouncer.ini')]
    const program = Program.start(this.#context, 'pgbouncer', command, { cwd: folder })
    this.#programs.set('pgbouncer', program)
    await program.until(() => queryAt(addresses.pgbouncer, ports.pgbouncer, 'sluice', 'select 1'))
  }

  #writePgbouncerConfig(): void {
    const folder = this.#folderOf('pgbouncer')
    writeFileSync(
      join(folder, 'pgbouncer.ini'),
      `[databases]
sluice = host=${addresses[this.#primary]} port=${ports.postgres} dbname=postgres
[pgbouncer]
listen_addr = ${addresses.pgbouncer}
listen_port = ${ports.pgbouncer}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
admin_users = ${user}
pool_mode = transaction
default_pool_size = 20
max_client_conn = 200
server_connect_timeout = 2
server_login_retry = 1
`,
    )
  }

  #folderOf(host: HostName): string {
    const folder = join(this.#context.folder, host)
    mkdirSync(folder, { recursive: true })
    chownSync(folder, uidOf('-u'), uidOf('-g'))
    return folder
  }

  async #run(host: PostgresHost, command: readonly string[]): Promise<void> {
    const folder = this.#folderOf(host)
    const { child } = Program.start(this.#context, host, [...asPostgres, ...command], { cwd: folder })
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`${command[0]} on ${host} ended with ${code}: see its log.`)
  }
}

function uidOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}

/** Runs one statement over a connection of its own. */
async function queryAt(
  host: string,
  port: number,
  database: string,
  text: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    host,
    port,
    database,
    user,
    connectionTimeoutMillis: 5_000,
    query_timeout: 40_000,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
