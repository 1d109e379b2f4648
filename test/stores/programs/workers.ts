import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Report, Task, WorkerOptions } from './worker-messages.ts'

/** Processes that share the limits of one server. */
export class Workers implements AsyncDisposable {
  readonly #folder: string
  readonly #program: string
  readonly #children: Worker[] = []

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'sluice-workers-'))
    this.#program = join(this.#folder, 'worker.cjs')
  }

  /** Starts as many processes; every second one uses the other client, and has a clock that is wrong by an hour. */
  static async start(port: number, count: number): Promise<Workers> {
    const workers = new Workers()
    process.once('exit', workers.#kill)
    try {
      await workers.#build()
      await Promise.all(Array.from({ length: count }, (_, index) => workers.#add(port, index)))
    } catch (error) {
      await workers.stop()
      throw error
    }
    return workers
  }

  /** Tells the first `count` of them to do it at the same time. */
  async run(task: Task, count = this.#children.length): Promise<readonly Report[]> {
    return Promise.all(this.#children.slice(0, count).map(child => child.ask(task)))
  }

  /** Tells one of them. */
  async tell(index: number, task: Task): Promise<Report> {
    const child = this.#children[index]
    if (child === undefined) throw new Error(`There is no worker ${index}.`)
    return child.ask(task)
  }

  /** Ends one of them, without a word. */
  async kill(index: number): Promise<void> {
    await this.#children[index]?.kill()
  }

  async stop(): Promise<void> {
    process.off('exit', this.#kill)
    await Promise.all(this.#children.map((_, index) => this.kill(index)))
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** In one file, so that many start at once quickly. */
  async #build(): Promise<void> {
    await build({
      entryPoints: [fileURLToPath(new URL('worker-main.ts', import.meta.url))],
      outfile: this.#program,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      conditions: ['@sluice/source'],
      logLevel: 'silent',
      target: 'node20',
    })
  }

  async #add(port: number, index: number): Promise<void> {
    const wrong = index % 2 === 1
    const options: WorkerOptions = {
      port,
      client: wrong ? 'node-redis' : 'ioredis',
      skewMs: wrong ? (index % 4 === 1 ? 3_600_000 : -3_600_000) : 0,
    }
    const child = spawn(process.execPath, [this.#program, JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const worker = new Worker(child)
    this.#children[index] = worker
    await worker.answer()
  }

  readonly #kill = () => {
    for (const child of this.#children) void child.kill()
  }
}

/** One process; it is told one thing at a time. */
class Worker {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #answered: { resolve(report: Report): void; reject(error: Error): void } | undefined

  constructor(child: ChildProcess) {
    this.#child = child
    this.#ended = once(child, 'exit')
    child.on('message', (report: Report) => this.#answered?.resolve(report))
    child.once('exit', (code, signal) => {
      this.#answered?.reject(new Error(`A worker ended with ${code ?? signal}.`))
    })
  }

  answer(): Promise<Report> {
    return new Promise((resolve, reject) => {
      this.#answered = { resolve, reject }
    })
  }

  ask(task: Task): Promise<Report> {
    const answer = this.answer()
    this.#child.send(task)
    return answer
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
    await this.#ended
  }
}
