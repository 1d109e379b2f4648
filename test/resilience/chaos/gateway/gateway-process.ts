import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bundledProgram } from '../../../../scripts/bundle-program.mjs'
import type { GatewayNotice, GatewaySettings } from './gateway-settings.ts'

const program = fileURLToPath(new URL('gateway-main.ts', import.meta.url))
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** From the signal to the end, in milliseconds. */
  readonly ms: number
}

/** One process of the gateway, from its start to its end. */
export class GatewayProcess {
  readonly port: number
  readonly alarms: string[]
  readonly #child: ChildProcess
  readonly #exited: Promise<[number | null, NodeJS.Signals | null]>
  /** The stores that fail, and those that have failed before, by the time at which they worked again. */
  readonly #failing: Set<string>
  readonly #workingSince: Map<string, number>

  private constructor(port: number, child: ChildProcess, state: State) {
    this.port = port
    this.#child = child
    this.#exited = state.exited
    this.alarms = state.alarms
    this.#failing = state.failing
    this.#workingSince = state.workingSince
  }

  /** Resolves when it listens; rejects where it ends before. */
  static async start(settings: GatewaySettings): Promise<GatewayProcess> {
    const line = [await bundledProgram(program), JSON.stringify(settings)]
    const child = spawn(process.execPath, line, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    running.add(child)
    const state = followed(child)
    const port = await Promise.race([
      state.listening,
      state.exited.then(([code, signal]) => {
        throw new Error(
          `The gateway ended with ${code ?? signal} before it listened: ${state.alarms.join('; ')}`,
        )
      }),
    ])
    return new GatewayProcess(port, child, state)
  }

  /** Whether a store works; it does until something else is told. */
  works(store: string): boolean {
    return !this.#failing.has(store)
  }

  /** Since when a store works that has failed; `undefined` where it fails, or never did. */
  workingSince(store: string): number | undefined {
    return this.works(store) ? this.#workingSince.get(store) : undefined
  }

  /** Sends a signal and waits for the end; after `ms` milliseconds it is ended by force. */
  async end(signal: 'SIGTERM' | 'SIGKILL', ms = 30_000): Promise<Exit> {
    const from = performance.now()
    const forced = setTimeout(() => this.#child.kill('SIGKILL'), ms)
    this.#child.kill(signal)
    const [code, by] = await this.#exited
    clearTimeout(forced)
    return { code, signal: by, ms: performance.now() - from }
  }
}

interface State {
  readonly alarms: string[]
  readonly failing: Set<string>
  readonly workingSince: Map<string, number>
  readonly listening: Promise<number>
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>
}

function followed(child: ChildProcess): State {
  const alarms: string[] = []
  const failing = new Set<string>()
  const workingSince = new Map<string, number>()
  const heard = new EventEmitter()
  const listening = once(heard, 'listening').then(([port]) => port as number)
  child.on('message', (notice: GatewayNotice) => {
    if (notice.tell === 'listening') heard.emit('listening', notice.port)
    else if (notice.tell === 'alarm') alarms.push(notice.what)
    else if (notice.state === 'failing') failing.add(notice.store)
    else {
      failing.delete(notice.store)
      workingSince.set(notice.store, performance.now())
    }
  })
  const exited = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return [code, signal] as [number | null, NodeJS.Signals | null]
  })
  return { alarms, failing, workingSince, listening, exited }
}
