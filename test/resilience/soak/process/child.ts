import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import type {
  Answers,
  ChildMessage,
  GatewayAnswers,
  GatewayNotices,
  Notices,
  UpstreamAnswers,
  UpstreamNotices,
} from './messages.ts'

const running = new Set<ChildProcess>()

/** Ends every child that still runs, at once. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** A process of the soak, as the one that started it sees it. */
export class Child<A extends Answers, N extends Notices> {
  readonly #name: string
  readonly #process: ChildProcess
  readonly #notices = new EventEmitter()
  readonly #calls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  readonly #exited: Promise<unknown>
  #calling = 0
  #stopping = false

  /** Starts a script. What it prints is printed. */
  constructor(name: string, script: string, args: readonly string[] = [], flags: readonly string[] = []) {
    this.#name = name
    const run = [...flags, script, ...args]
    this.#process = spawn(process.execPath, run, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    running.add(this.#process)
    this.#process.on('message', (message: ChildMessage) => this.#hear(message))
    this.#exited = once(this.#process, 'exit').then(([code, signal]) => {
      running.delete(this.#process)
      const error = new Error(`The ${name} process ended with ${code ?? signal}.`)
      for (const { reject } of this.#calls.values()) reject(error)
      if (!this.#stopping) this.#notices.emit('alarm', error.message)
    })
  }

  on<K extends keyof N & string>(kind: K, listener: (value: N[K]) => void): void {
    this.#notices.on(kind, listener)
  }

  /** The next notice of a kind. Rejects where the process ends before. */
  next<K extends keyof N & string>(kind: K): Promise<N[K]> {
    return new Promise((resolve, reject) => {
      this.#notices.once(kind, resolve)
      void this.#exited.then(() => reject(new Error(`The ${this.#name} process has ended.`)))
    })
  }

  /** Rejects where the process fails to answer, or has ended. */
  ask<K extends keyof A & string>(question: K): Promise<A[K]> {
    const call = ++this.#calling
    return new Promise<unknown>((resolve, reject) => {
      if (!this.#process.connected) return reject(new Error(`The ${this.#name} process has ended.`))
      this.#calls.set(call, { resolve, reject })
      this.#process.send({ call, question })
    }) as Promise<A[K]>
  }

  /** Ends the process: by closing its channel, and by force where that takes more than 5 seconds. */
  async stop(): Promise<void> {
    this.#stopping = true
    if (this.#process.connected) this.#process.disconnect()
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 5_000)
    await this.#exited
    clearTimeout(timer)
  }

  #hear(message: ChildMessage): void {
    if ('tell' in message) {
      this.#notices.emit(message.tell, message.value)
      return
    }
    const waiting = this.#calls.get(message.call)
    this.#calls.delete(message.call)
    if ('failed' in message) waiting?.reject(new Error(message.failed))
    else waiting?.resolve(message.value)
  }
}

/** The gateway under test. */
export type Gateway = Child<GatewayAnswers, GatewayNotices>

/** The vendor behind it. */
export type Upstream = Child<UpstreamAnswers, UpstreamNotices>
