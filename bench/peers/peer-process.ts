import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { freePort } from '../nginx.ts'
import { ticksNow } from '../others.ts'
import { start, stop } from '../processes.ts'
import { asAnn } from '../questions.ts'
import type { Runtime } from '../subject.ts'
import type { PeerGateway } from './gateways.ts'

const startSeconds = 120

/** A gateway as a process, with its children; measured by the kernel, as it does not tell by itself. */
export class PeerProcess {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  /** From its start to its first answer. */
  readonly startMs: number
  readonly #process: ChildProcess

  private constructor(
    process: ChildProcess,
    port: number,
    headers: Readonly<Record<string, string>>,
    startMs: number,
  ) {
    this.#process = process
    this.port = port
    this.headers = headers
    this.startMs = startMs
  }

  static async start(gateway: PeerGateway, upstream: string, runtime: Runtime): Promise<PeerProcess> {
    const port = await freePort()
    const launch = gateway.launch(upstream, port, runtime)
    const [command = '', ...args] = [...runtime.pinned, launch.command, ...launch.args]
    const began = performance.now()
    const child = start(command, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...launch.env },
    })
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', text => {
      said = `${said}${text}`.slice(-2_000)
    })
    const headers = launch.headers ?? {}
    while (!(await answers(`http://127.0.0.1:${port}${launch.health}`, { ...asAnn, ...headers }))) {
      if (child.exitCode !== null) throw new Error(`${gateway.name} ended with ${child.exitCode}:\n${said}`)
      if (performance.now() - began > startSeconds * 1_000) {
        throw new Error(`${gateway.name} did not answer within ${startSeconds} s.`)
      }
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    return new PeerProcess(child, port, headers, performance.now() - began)
  }

  /** CPU that it took for what is done meanwhile, in microseconds, in steps of 10 ms; and what was done. */
  async during<T>(action: () => Promise<T>): Promise<{ readonly cpuMicros: number; readonly done: T }> {
    const before = this.#ticks()
    const done = await action()
    return { cpuMicros: (this.#ticks() - before) * 10_000, done }
  }

  /** Resident memory of the process itself. */
  residentMiB(): number {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024
  }

  stop(): Promise<void> {
    return stop(this.#process)
  }

  #ticks(): number {
    const ticks = ticksNow(this.#process.pid)
    if (ticks === undefined)
      throw new Error('Other gateways are measured by /proc, which this system does not have.')
    return ticks.own
  }
}

async function answers(url: string, headers: Readonly<Record<string, string>>): Promise<boolean> {
  try {
    const response = await fetch(url, { headers })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
