import type { ChildProcess } from 'node:child_process'
import type { Profiler } from 'node:inspector/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledProgram } from '../scripts/bundle-program.mjs'
import { start, stop, told } from './processes.ts'

/** What a process has used since it began. */
interface Used {
  readonly cpuMicros: number
  readonly peakKiB: number
}

/** How what is measured is run. */
export interface Runtime {
  /** The Node that it runs on. */
  readonly node: string
  /** Words before the command: which core it has. */
  readonly pinned: readonly string[]
  /** It runs on the sources, and not on what was built. */
  readonly sources: boolean
  /** The folder of the checkout whose servers run. Default: this one. */
  readonly checkout?: string
}

const here = fileURLToPath(new URL('..', import.meta.url))

/** What is measured: a server in a process of its own. */
export class Subject {
  readonly name: string
  readonly port: number
  /** What it wants to be asked with. */
  readonly headers: Readonly<Record<string, string>>
  readonly #process: ChildProcess

  private constructor(name: string, process: ChildProcess, told: Pick<Subject, 'port' | 'headers'>) {
    this.name = name
    this.port = told.port
    this.headers = told.headers
    this.#process = process
  }

  /**
   * @param name - of a file in `subjects`.
   * @param further - what it needs to know beside its upstream.
   */
  static async start(
    name: string,
    upstream: string,
    runtime: Runtime,
    further: Readonly<Record<string, string>> = {},
  ): Promise<Subject> {
    const [command = '', ...words] = [...runtime.pinned, runtime.node]
    const file = join(runtime.checkout ?? here, 'bench/subject-process.mjs')
    const program = runtime.sources && name.startsWith('sluice') ? await bundledProgram(file) : file
    const args = [...words, program, name, upstream, JSON.stringify(further)]
    const child = start(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    return new Subject(name, child, await told(child, name))
  }

  /** CPU that it takes for what is done meanwhile, in microseconds; and what was done. */
  async during<T>(action: () => Promise<T>): Promise<{ readonly cpuMicros: number; readonly done: T }> {
    const before = await this.#used()
    const done = await action()
    const after = await this.#used()
    return { cpuMicros: after.cpuMicros - before.cpuMicros, done }
  }

  /** What it does meanwhile, as V8's profiler samples it. */
  async profile(action: () => Promise<unknown>): Promise<Profiler.Profile> {
    await this.#ask('profile')
    await action()
    return this.#ask('profile')
  }

  async peakMiB(): Promise<number> {
    return (await this.#used()).peakKiB / 1024
  }

  async stop(): Promise<void> {
    await stop(this.#process)
  }

  #used(): Promise<Used> {
    return this.#ask('used')
  }

  #ask<T>(message: string): Promise<T> {
    this.#process.send(message)
    return told(this.#process, this.name)
  }
}
