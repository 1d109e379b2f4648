import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where Redis is on this machine; `undefined` where it is not. */
export const redisPath: string | undefined = (process.env.PATH ?? '')
  .split(delimiter)
  .map(folder => join(folder, 'redis-server'))
  .find(existsSync)

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export interface RedisOptions {
  /** Keeps what it is told on disk, as far as it goes: it knows it after a restart. */
  readonly appendOnly?: boolean
  /** Further settings: `{ maxmemory: '2mb' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A server of one test file, on a port of its own, with its files in a folder of its own. */
export class RedisServer implements AsyncDisposable {
  readonly port: number
  readonly #folder: string
  readonly #options: RedisOptions
  #child: ChildProcess | undefined

  private constructor(port: number, options: RedisOptions) {
    this.port = port
    this.#options = options
    this.#folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'))
  }

  /** Starts a server that is ready, or is loading what it has on disk. Call `stop` at the end. */
  static async start(options: RedisOptions = {}): Promise<RedisServer> {
    for (let attempt = 1; ; attempt++) {
      const server = new RedisServer(await freePort(), options)
      try {
        await server.restart()
        return server
      } catch (error) {
        await server.stop()
        // Somebody else may have taken the port meanwhile.
        if (attempt === 5) throw error
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Starts it again on the same port, after `kill` or `shutdown`, with other settings if there are any. */
  async restart(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    if (redisPath === undefined) throw new Error('There is no redis-server on this machine.')
    const all = {
      port: String(this.port),
      bind: '127.0.0.1',
      dir: this.#folder,
      save: '',
      appendonly: this.#options.appendOnly === true ? 'yes' : 'no',
      'repl-diskless-sync-delay': '0',
      ...this.#options.settings,
      ...settings,
    }
    const child = spawn(
      redisPath,
      Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    running.add(child)
    this.#child = child
    child.once('exit', () => running.delete(child))
    await listening(child)
  }

  /** Stands still: connections stay open, and are not answered. */
  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  /** Dies at once. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  /** Ends the server and removes its files. */
  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Asks by `redis-cli`; gives what it prints. */
  async command(...words: readonly string[]): Promise<string> {
    const { stdout } = await run('redis-cli', ['-h', '127.0.0.1', '-p', String(this.port), ...words], {
      timeout: 10_000,
    })
    return stdout.trim()
  }
}

/** As many servers as `masters`, joined in a cluster. */
export async function startCluster(masters = 3): Promise<RedisServer[]> {
  const settings = { 'cluster-enabled': 'yes', 'cluster-node-timeout': '2000' }
  const servers = await Promise.all(Array.from({ length: masters }, () => RedisServer.start({ settings })))
  try {
    await run(
      'redis-cli',
      ['--cluster', 'create', ...servers.map(({ port }) => `127.0.0.1:${port}`), '--cluster-yes'],
      { timeout: 20_000 },
    )
    for (const server of servers) {
      await until(async () => (await server.command('CLUSTER', 'INFO')).includes('cluster_state:ok'))
    }
    return servers
  } catch (error) {
    await Promise.all(servers.map(server => server.stop()))
    throw error
  }
}

/** A server that follows `master`, and has caught up with it. */
export async function startReplica(master: RedisServer): Promise<RedisServer> {
  const replica = await RedisServer.start({ settings: { replicaof: `127.0.0.1 ${master.port}` } })
  await until(async () => (await replica.command('INFO', 'replication')).includes('master_link_status:up'))
  return replica
}

/** Waits until something holds; rejects after `ms` milliseconds. */
export async function until(holds: () => Promise<boolean> | boolean, ms = 10_000): Promise<void> {
  const deadline = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited ${ms} ms in vain.`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

/** Resolves when the server listens, which it says before it loads; rejects when it ends before. */
function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 10_000) said += text
      if (/Server initialized/.test(said)) resolve()
    })
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`redis-server ended with ${code}: ${said.slice(-500)}`)))
  })
}

/**
 * A free port that stays free while a server is down: below those that the system gives to clients, as is the one 10,000
 * above it, a cluster's second port.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 22_000)
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
