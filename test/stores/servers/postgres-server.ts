import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findClosedPort } from '@sluice/testing'
import pg from 'pg'

/** The folder of PostgreSQL's programs on this machine; `undefined` where there is none. */
export const postgresBin: string | undefined = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...debianFolders(),
].find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))

/** Newest first. */
function debianFolders(): string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return versions.map(version => join(root, version, 'bin'))
}

const running = new Set<ChildProcess>()
// Its processes end when they see that the first one has.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A PostgreSQL of one's own on 127.0.0.1, in a temporary folder. */
export class PostgresServer {
  readonly port: number
  readonly #folder: string
  #process: ChildProcess | undefined
  #pools: pg.Pool[] = []
  #databases = 0

  private constructor(port: number, folder: string) {
    this.port = port
    this.#folder = folder
  }

  static async start(): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'))
    if (account !== undefined) chownSync(folder, account.uid, account.gid)
    const first = new PostgresServer(await findClosedPort(), folder)
    const data = join(folder, 'data')
    const made = first.#spawn('initdb', [
      '-D',
      data,
      '-U',
      'sluice',
      '-A',
      'trust',
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    ])
    const [code] = await once(made, 'exit')
    if (code !== 0) throw new Error(`initdb ended with ${code}.`)
    for (let server = first, tries = 1; ; tries++) {
      try {
        await server.restart()
        return server
      } catch (error) {
        // Somebody else may have taken the port meanwhile.
        if (tries === 5) throw error
        server = new PostgresServer(await findClosedPort(), folder)
      }
    }
  }

  /** For a database of this server; the first one where none is named. */
  url(database = 'postgres'): string {
    return `postgres://sluice@127.0.0.1:${this.port}/${database}`
  }

  /** A fresh database. */
  async database(): Promise<string> {
    const name = `test_${++this.#databases}`
    await this.run(`create database ${name}`)
    return name
  }

  /** A pool that lives as long as the server. What its idle connections say when the server goes is not heard. */
  pool(database?: string, config: pg.PoolConfig = {}): pg.Pool {
    const pool = new pg.Pool({ connectionString: this.url(database), ...config })
    pool.on('error', () => {})
    this.#pools.push(pool)
    return pool
  }

  /** Runs one statement over a connection of its own. */
  async run(text: string, database?: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url(database) })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  /** Starts on the same port, and waits until it answers. */
  async restart(): Promise<void> {
    const settings = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      max_connections: 60,
      log_min_messages: 'panic',
      // What reads a day or a time by the server's own zone is found out.
      timezone: 'Pacific/Kiritimati',
    }
    const started = this.#spawn('postgres', [
      '-D',
      join(this.#folder, 'data'),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    this.#process = started
    running.add(started)
    started.once('exit', () => running.delete(started))
    for (;;) {
      if (started.exitCode !== null)
        throw new Error(`postgres ended with ${started.exitCode} before it answered.`)
      try {
        await this.run('select 1')
        return
      } catch {
        await sleep(20)
      }
    }
  }

  /** Ends it as an operator would: connections are cut, nothing is lost. */
  async stop(): Promise<void> {
    await this.#end(process => process.kill('SIGINT'))
  }

  /** Ends it and all of its processes at once. */
  async kill(): Promise<void> {
    await this.#end(() => this.#signal('SIGKILL'))
  }

  /** From now on it is there and says nothing. */
  freeze(): void {
    this.#signal('SIGSTOP')
  }

  thaw(): void {
    this.#signal('SIGCONT')
  }

  /** Ends all of it, for good. */
  async dispose(): Promise<void> {
    if (this.#process !== undefined) this.thaw()
    const ended = this.#pools.map(pool => pool.end())
    await this.kill()
    await Promise.allSettled(ended)
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #end(how: (process: ChildProcess) => void): Promise<void> {
    const ending = this.#process
    if (ending === undefined) return
    const ended = once(ending, 'exit')
    how(ending)
    await ended
    this.#process = undefined
  }

  /** To the server and then to the processes that it has started: each of them has a group of its own. */
  #signal(signal: NodeJS.Signals): void {
    const pid = this.#process?.pid
    if (pid === undefined) return
    const children = () => childrenOf(pid)
    // A stopped server starts no more of them; a killed one has none any more.
    const before = children()
    process.kill(pid, signal)
    for (const child of new Set([...before, ...children()])) {
      try {
        process.kill(child, signal)
      } catch {
        // It has ended by itself.
      }
    }
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    if (postgresBin === undefined) throw new Error('PostgreSQL is not installed on this machine.')
    return spawn(join(postgresBin, program), args, { cwd: this.#folder, stdio: 'ignore', ...account })
  }
}

/** PostgreSQL refuses to run as root: then it runs as the account that its package has made. */
const account = process.getuid?.() === 0 ? accountOf('postgres') : undefined

function accountOf(name: string): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}

function childrenOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n')
  return lines
    .map(line => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []))
}
