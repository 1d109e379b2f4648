import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What a process holds, in bytes, after all garbage is gone. */
export interface Held {
  readonly rss: number
  /** Of that, what the engine sets aside for new objects: it grows and shrinks with the load, whatever is held. */
  readonly young: number
  /** What is on the JavaScript heap, and buffers. */
  readonly live: number
}

/** A server in a process of its own. */
export class Forked {
  readonly port: number
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, port: number) {
    this.#process = process
    this.port = port
  }

  /** The upstream, by the Node that runs this. */
  static upstream(): Promise<Forked> {
    return Forked.#start('stream-upstream.mjs', [])
  }

  /** One of the servers in `bench/subjects`. `node`: the Node that runs it. */
  static subject(name: string, upstream: Forked, node?: string): Promise<Forked> {
    return Forked.#start('stream-subject.mjs', [name, `http://127.0.0.1:${upstream.port}`], node)
  }

  static async #start(program: string, args: readonly string[], execPath?: string): Promise<Forked> {
    const child = fork(fileURLToPath(new URL(program, import.meta.url)), args, {
      execArgv: ['--expose-gc', ...(process.env.SUBJECT_FLAGS?.split(' ') ?? [])],
      ...(execPath === undefined ? {} : { execPath }),
    })
    const exited = once(child, 'exit').then(([code]) => {
      throw new Error(`${program} ${args.join(' ')} ended with ${code} before it listened: see above.`)
    })
    const [{ port }] = (await Promise.race([once(child, 'message'), exited])) as [{ port: number }]
    exited.catch(() => {})
    return new Forked(child, port)
  }

  async cpuMicros(): Promise<number> {
    return ((await this.#ask('cpu')) as { cpuMicros: number }).cpuMicros
  }

  async held(): Promise<Held> {
    return (await this.#ask('held')) as Held
  }

  stop(): void {
    this.#process.disconnect()
  }

  async #ask(what: string): Promise<unknown> {
    this.#process.send(what)
    const [told] = await once(this.#process, 'message')
    return told
  }
}
