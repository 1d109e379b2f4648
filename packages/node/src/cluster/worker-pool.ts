import cluster from 'node:cluster'
import type { GroupTopics } from './group-topics.ts'
import { StoreHost, StoreSession } from './store-host.ts'
import { type StopRequest, WorkerProcess, WorkerStartError, workerStreams } from './worker-process.ts'

/** Options of a `WorkerPool`. */
export interface WorkerPoolOptions {
  /** Number of workers, from 2. */
  readonly count: number
  /** Merges what workers answered. */
  readonly topics: GroupTopics
  /** Receives a line about each worker that ended by itself or did not start. */
  readonly log: (text: string) => void
  /** The arguments of a worker. Default: those of this process. */
  readonly args?: readonly string[]
  /** Stops a pool that is starting: `start` then ends all workers, and rejects. */
  readonly signal?: AbortSignal
}

/** How long the primary waits before it restarts a worker, in milliseconds: twice as long each time, up to the last. */
const firstRestartMs = 100
const lastRestartMs = 30_000
/** A worker that ran for so long is restarted after the first wait again, in milliseconds. */
const stableMs = 10_000
/** How often the first worker may end before it is ready. */
const maxFirstStarts = 3
/** How long a worker may take to answer a question, in milliseconds. */
const answerMs = 2_000

/** One of the workers that there are to be, by its number. */
interface Position {
  readonly number: number
  worker: WorkerProcess | undefined
  /** How often its workers have ended early, in a row. */
  failures: number
  timer: NodeJS.Timeout | undefined
  /** Whether a reload replaces its worker. */
  isReplacing: boolean
}

interface Member {
  readonly process: WorkerProcess
  readonly session: StoreSession
  /** Its last answers by topic. */
  readonly last: Map<string, unknown>
  /** Whether its answers are among the kept ones. */
  isKept: boolean
}

/** The workers of a primary: starts, restarts and replaces them, and holds what they share. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #positions: readonly Position[]
  readonly #host: StoreHost
  /** All workers that run, those that are stopping too. */
  readonly #members = new Set<Member>()
  /** The merged answers of workers that have ended, by topic. */
  readonly #kept = new Map<string, Promise<unknown>>()
  /** Resolves when `close` was called and all workers have ended. */
  readonly ended: Promise<void>
  #reportEnd = () => {}
  #closing: Promise<void> | undefined
  #reloading: Promise<unknown> = Promise.resolve()

  private constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#host = new StoreHost(options.count)
    this.ended = new Promise(resolve => {
      this.#reportEnd = resolve
    })
    this.#positions = Array.from({ length: options.count }, (_, index) => ({
      number: index + 1,
      worker: undefined,
      failures: 0,
      timer: undefined,
      isReplacing: false,
    }))
  }

  /**
   * Starts a worker, and then the others: what the first one creates, such as tables, is there for them. Resolves once all are
   * ready, with what the first one reported. Rejects with `WorkerStartError` if it cannot start; then no worker is left.
   */
  static async start(options: WorkerPoolOptions): Promise<{ pool: WorkerPool; report: unknown }> {
    cluster.setupPrimary({
      stdio: [...workerStreams],
      ...(options.args !== undefined && { args: [...options.args] }),
    })
    const pool = new WorkerPool(options)
    options.topics.connect({
      ask: (topic, question) => pool.#ask(topic, question),
      publish: (topic, message) => pool.#publish(topic, message, undefined),
    })
    const stop = () => void pool.close({ drainMs: 0, delayMs: 0 })
    options.signal?.addEventListener('abort', stop)
    try {
      options.signal?.throwIfAborted()
      const [first, ...others] = pool.#positions as [Position, ...Position[]]
      const report = await pool.#startFirst(first)
      options.signal?.throwIfAborted()
      await Promise.all(others.map(position => pool.#startAt(position)))
      options.signal?.throwIfAborted()
      return { pool, report }
    } catch (error) {
      await pool.close({ drainMs: 0, delayMs: 0 })
      throw error
    } finally {
      options.signal?.removeEventListener('abort', stop)
    }
  }

  /** Whether a worker accepts requests, and the pool is not closing. */
  get ready(): boolean {
    return this.#closing === undefined && this.#positions.some(({ worker }) => worker?.isReady === true)
  }

  /** The process ids of the workers that accept requests. */
  get pids(): readonly number[] {
    return this.#positions.flatMap(({ worker }) =>
      worker?.isReady === true && worker.pid !== undefined ? [worker.pid] : [],
    )
  }

  /**
   * Replaces each worker by a new one, one after the other. The old one stops when the new one is ready, and its requests may take as
   * long as they need. Rejects with `WorkerStartError` if a new one cannot start; workers that are not replaced by then stay.
   */
  reload(): Promise<void> {
    const reloading = this.#reloading.then(() => this.#reload())
    this.#reloading = reloading.catch(() => {})
    return reloading
  }

  /** Stops all workers, and resolves when they have ended. Of several calls the shortest times count. */
  close(request: StopRequest): Promise<void> {
    for (const { timer } of this.#positions) clearTimeout(timer)
    const isFirst = this.#closing === undefined
    this.#closing ??= Promise.resolve()
    for (const { process } of this.#members) void process.stop(request)
    if (isFirst) {
      this.#closing = (async () => {
        while (this.#members.size > 0) {
          await Promise.all([...this.#members].map(({ process }) => process.ended))
        }
        this.#options.topics.connect(undefined)
        this.#reportEnd()
      })()
    }
    return this.#closing
  }

  async #reload(): Promise<void> {
    for (const position of this.#positions) {
      if (this.#closing !== undefined) return
      clearTimeout(position.timer)
      position.isReplacing = true
      const old = position.worker
      const next = this.#fork(position)
      try {
        await next.ready
        position.worker = next
        position.failures = 0
        await old?.stop({ drainMs: Number.POSITIVE_INFINITY, delayMs: 0, answersOpen: true })
      } catch (error) {
        next.kill()
        if (this.#closing === undefined) throw error
      } finally {
        position.isReplacing = false
        // The old one may have ended meanwhile.
        if (position.worker?.hasEnded !== false) this.#restart(position)
      }
    }
  }

  async #startFirst(position: Position): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      position.isReplacing = true
      const worker = this.#fork(position)
      try {
        const report = await worker.ready
        position.worker = worker
        return report
      } catch (error) {
        worker.kill()
        if (!(error instanceof WorkerStartError) || error.isFinal || this.#closing !== undefined) throw error
        if (attempt === maxFirstStarts) {
          throw new WorkerStartError(`${error.message} It was started ${attempt} times.`, true)
        }
        await new Promise(resolve => setTimeout(resolve, firstRestartMs * 2 ** (attempt - 1)))
        if (this.#closing !== undefined) throw error
      } finally {
        position.isReplacing = false
      }
    }
  }

  /** Starts a worker at a position that has none. Resolves when it is ready, or has failed and is started again later. */
  async #startAt(position: Position): Promise<void> {
    const worker = this.#fork(position)
    position.worker = worker
    await worker.ready.catch((error: Error) => {
      if (this.#closing === undefined) this.#options.log(error.message)
      worker.kill()
    })
  }

  #fork(position: Position): WorkerProcess {
    const session = new StoreSession(this.#host)
    const process = new WorkerProcess(position.number, this.#options.count, (name, args) =>
      this.#handle(member, name, args),
    )
    const member: Member = { process, session, last: new Map(), isKept: false }
    this.#members.add(member)
    void process.unreadable.then(() => {
      if (process.hasEnded) return
      this.#options.log(`Worker ${position.number} sent what cannot be read: it is ended.`)
      process.kill()
    })
    void process.ended.then(how => {
      this.#members.delete(member)
      session.end()
      if (!member.isKept) void this.#keep(member.last)
      if (position.worker !== process || position.isReplacing || this.#closing !== undefined) return
      if (!process.isStopping) this.#options.log(`Worker ${position.number} ended ${how}.`)
      const { readyAt } = process
      const isStable = readyAt !== undefined && performance.now() - readyAt >= stableMs
      if (isStable) position.failures = 0
      this.#restart(position)
    })
    return process
  }

  #restart(position: Position): void {
    if (this.#closing !== undefined) return
    const ms = Math.min(firstRestartMs * 2 ** position.failures, lastRestartMs)
    position.failures++
    this.#options.log(`Worker ${position.number} is started again in ${ms} ms.`)
    position.timer = setTimeout(() => void this.#startAt(position), ms)
  }

  #handle(member: Member, name: string, args: readonly unknown[]): unknown {
    switch (name) {
      case 'group.ask':
        return this.#ask(args[0] as string, args[1])
      case 'group.publish':
        return this.#publish(args[0] as string, args[1], member)
      case 'group.final':
        member.isKept = true
        return this.#keep(new Map(args[0] as readonly [string, unknown][]))
      default:
        return member.session.handle(name, args)
    }
  }

  /** Adds the answers of a member that ends to those of members that have ended. */
  async #keep(answers: ReadonlyMap<string, unknown>): Promise<void> {
    for (const [topic, answer] of answers) {
      // One after the other: each needs the sum of those before.
      const before = this.#kept.get(topic) ?? Promise.resolve(undefined)
      const merged = before.then(known =>
        this.#options.topics.merge(topic, known === undefined ? [answer] : [known, answer]),
      )
      this.#kept.set(
        topic,
        merged.catch(() => before),
      )
    }
    await Promise.all(this.#kept.values())
  }

  async #ask(topic: string, question: unknown): Promise<readonly unknown[]> {
    const members = [...this.#members].filter(({ process }) => process.readyAt !== undefined)
    const answers = await Promise.all(members.map(member => this.#answerOf(member, topic, question)))
    // Now, as a member may have ended meanwhile: it is one or the other.
    const live = answers.filter((answer, index) => answer !== undefined && !this.#isEnded(members[index]!))
    const kept = await this.#kept.get(topic)
    return kept === undefined ? live : [kept, ...live]
  }

  #isEnded(member: Member): boolean {
    return member.isKept || !this.#members.has(member)
  }

  async #answerOf(member: Member, topic: string, question: unknown): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>(resolve => {
      timer = setTimeout(() => resolve(undefined), answerMs)
    })
    const called = member.process.channel.call('group.answer', topic, question).catch(() => undefined)
    const answer = await Promise.race([called, late])
    clearTimeout(timer)
    if (answer === undefined || answer === null) return member.last.get(topic)
    member.last.set(topic, answer)
    return answer
  }

  #publish(topic: string, message: unknown, from: Member | undefined): void {
    for (const member of this.#members) {
      if (member !== from) member.process.channel.notify('group.message', topic, message)
    }
    if (from !== undefined) this.#options.topics.receive(topic, message)
  }
}
