import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { maxTimerMs } from '../check-milliseconds.ts'
import { Channel, type ChannelHandler } from './channel.ts'

/** The environment variable of a worker: its number, how many there are, and the version of the messages. */
export const workerVariable = 'SLUICE_WORKER'
/** A reload may start workers of a newer release than their primary: raise it when they would not understand each other. */
export const messageVersion = 3
/** The file descriptor of a worker's channel: after the standard streams and Node's own. */
export const channelDescriptor = 4
/** Those of what can be long: nothing else waits behind a text of megabytes. */
export const textDescriptors = { cache: 5, responses: 6 }
/** The streams of a worker. */
export const workerStreams = ['ignore', 'inherit', 'inherit', 'ipc', 'pipe', 'pipe', 'pipe'] as const

/** How a worker is to stop. Infinite milliseconds are `null` in JSON. */
export interface StopRequest {
  readonly drainMs: number
  readonly delayMs: number
  /** Whether requests of open connections are still answered: another worker has the port. */
  readonly answersOpen?: boolean
}

/** A worker that cannot be ready, and says why. */
export class WorkerStartError extends Error {
  /** Whether another attempt would fail in the same way. */
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean) {
    super(message)
    this.name = 'WorkerStartError'
    this.isFinal = isFinal
  }
}

/** How long a worker may take until it is ready, in milliseconds. */
const startMs = 60_000
/** How long it may take to end after its requests, in milliseconds, before it is killed. */
const exitMs = 10_000

/** A worker, as the primary sees it. */
export class WorkerProcess {
  readonly number: number
  readonly channel: Channel
  /** Resolves when the worker has sent what cannot be read, on any of its channels. */
  readonly unreadable: Promise<void>
  /** Resolves with how the process ended, in words. */
  readonly ended: Promise<string>
  /** Resolves with what it reported when it was ready. Rejects with `WorkerStartError`. */
  readonly ready: Promise<unknown>
  /** When it was ready, in monotonic milliseconds; `undefined` before. */
  readyAt: number | undefined
  hasEnded = false
  /** Whether `stop` was called. */
  isStopping = false
  readonly #worker: Worker
  readonly #channels: readonly Channel[]
  #reportReady: (report: unknown) => void = () => {}
  #reportFailure: (error: WorkerStartError) => void = () => {}
  #killTimer: NodeJS.Timeout | undefined

  /** Starts a process. `handle` answers its calls, but for those of its start. */
  constructor(number: number, total: number, handle: ChannelHandler) {
    this.number = number
    this.#worker = cluster.fork({ [workerVariable]: `${number}/${total}/${messageVersion}` })
    const streamAt = (descriptor: number) => this.#worker.process.stdio[descriptor] as unknown as Duplex
    const texts = Object.values(textDescriptors).map(at => new Channel(streamAt(at), handle))
    this.channel = new Channel(streamAt(channelDescriptor), (name, args) => {
      if (name === 'ready') return this.#isReady(args[0])
      if (name === 'failed') return this.#reportFailure(new WorkerStartError(String(args[0]), true))
      return handle(name, args)
    })
    this.#channels = [this.channel, ...texts]
    this.unreadable = new Promise(resolve => {
      for (const channel of this.#channels) {
        void channel.closed.then(() => {
          if (channel.isUnreadable) resolve()
        })
      }
    })
    this.ready = new Promise((resolve, reject) => {
      this.#reportReady = resolve
      this.#reportFailure = reject
    })
    // Whoever waits for it handles it.
    this.ready.catch(() => {})
    this.ended = once(this.#worker.process, 'exit').then(([code, signal]) => {
      this.hasEnded = true
      for (const channel of this.#channels) channel.close()
      clearTimeout(this.#killTimer)
      clearTimeout(starting)
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`
      this.#reportFailure(new WorkerStartError(`A worker ended ${how} before it was ready.`, false))
      return how
    })
    const starting = setTimeout(() => {
      this.#reportFailure(new WorkerStartError(`A worker was not ready after ${startMs} ms.`, false))
      this.kill()
    }, startMs)
    void this.ready.then(
      () => clearTimeout(starting),
      () => clearTimeout(starting),
    )
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  get isReady(): boolean {
    return this.readyAt !== undefined && !this.hasEnded && !this.isStopping
  }

  /**
   * Makes the worker end after its requests. One that does not is killed, if the time is not unlimited. Resolves when it accepts no
   * new connection.
   */
  async stop(request: StopRequest): Promise<void> {
    this.isStopping = true
    if (this.hasEnded) return
    if (this.readyAt === undefined) this.#worker.process.kill('SIGTERM')
    const stopped = this.channel.call('stop', request).catch(() => {})
    const { drainMs, delayMs } = request
    const ms = drainMs + delayMs + exitMs
    clearTimeout(this.#killTimer)
    if (ms <= maxTimerMs) this.#killTimer = setTimeout(() => this.kill(), ms)
    await stopped
  }

  kill(): void {
    if (!this.hasEnded) this.#worker.process.kill('SIGKILL')
  }

  #isReady(report: unknown): void {
    this.readyAt = performance.now()
    this.#reportReady(report)
    // It could not read it before.
    if (this.isStopping) this.channel.notify('stop', { drainMs: 0, delayMs: 0 })
  }
}
