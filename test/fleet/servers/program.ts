import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostName } from '../network/addresses.ts'
import type { Network } from '../network/network.ts'

/** What all servers of the fleet get. */
export interface FleetContext {
  readonly network: Network
  /** A folder for files of this run. */
  readonly folder: string
}

/** A program on a host, with what it prints in a file of its name. */
export class Program {
  readonly host: HostName
  readonly child: ChildProcess
  readonly #name: string

  private constructor(host: HostName, name: string, child: ChildProcess) {
    this.host = host
    this.#name = name
    this.child = child
  }

  /** `onOutput` receives what it prints on standard output, in place of the file. */
  static start(
    { network, folder }: FleetContext,
    host: HostName,
    command: readonly string[],
    options: SpawnOptions & { readonly onOutput?: (text: string) => void } = {},
  ): Program {
    const { onOutput, ...rest } = options
    const [name = ''] = command
    const child = network.spawn(host, command, { ...rest, stdio: ['ignore', 'pipe', 'pipe'] })
    const log = createWriteStream(`${folder}/${host}.log`, { flags: 'a' })
    log.on('error', () => {})
    child.stderr?.pipe(log, { end: false })
    if (onOutput === undefined) child.stdout?.pipe(log, { end: false })
    else child.stdout?.setEncoding('utf8').on('data', onOutput)
    child.once('close', () => log.end())
    return new Program(host, name, child)
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** Waits until something holds. Rejects if the program ends, or after `ms` milliseconds. */
  async until(holds: () => Promise<unknown>, ms = 30_000): Promise<void> {
    await until(async () => {
      if (!this.running) throw new ProgramEnded(`${this.#name} on ${this.host} has ended: see its log.`)
      return holds()
    }, ms)
  }

  /** Sends a signal and waits for its end. Resolves to its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.running) return this.child.exitCode
    const ended = once(this.child, 'close')
    this.child.kill(signal)
    await ended
    return this.child.exitCode
  }

  /** Kills it and all processes that it has started, at once. */
  async kill(): Promise<void> {
    if (!this.running) return
    const ended = once(this.child, 'close')
    const { pid } = this.child
    const children = pid === undefined ? [] : childrenOf(pid)
    this.child.kill('SIGKILL')
    for (const child of children) {
      try {
        process.kill(child, 'SIGKILL')
      } catch {
        // It has ended with its parent.
      }
    }
    await ended
  }
}

class ProgramEnded extends Error {}

/** Waits until something holds and no longer rejects. Rejects after `ms` milliseconds, with its last error. */
export async function until(holds: () => Promise<unknown>, ms: number): Promise<void> {
  const deadline = performance.now() + ms
  let last: unknown
  while (performance.now() < deadline) {
    try {
      if (await holds()) return
    } catch (error) {
      if (error instanceof ProgramEnded) throw error
      last = error
    }
    await sleep(20)
  }
  throw new Error(`Waited ${ms} ms in vain.`, { cause: last })
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8')
        return /^PPid:\s+(\d+)$/m.exec(status)?.[1] === String(pid) ? [Number(name)] : []
      } catch {
        return []
      }
    })
}
