import cluster from 'node:cluster'
import { Socket } from 'node:net'
import { shareProcessStores } from '@sluice/core/adapter'
import { Channel } from './channel.ts'
import type { GroupTopics } from './group-topics.ts'
import { remoteStores, type StoreChannels } from './remote-stores.ts'
import {
  channelDescriptor,
  messageVersion,
  type StopRequest,
  textDescriptors,
  workerVariable,
} from './worker-process.ts'

/** How often a worker that stops looks whether it accepts connections, in milliseconds. */
const pollMs = 10
/** How long the primary has to take the last answers of a worker, in milliseconds. */
const finalMs = 1_000

const otherRelease =
  'The primary runs another release of Sluice than this worker: restart the service instead of reloading it.'

/** This process as a worker of a primary. */
export class WorkerMember {
  /** From 1. */
  readonly number: number
  /** Number of workers. */
  readonly total: number
  /** Called with how to stop, once; and again for each further request. */
  onStop: (request: StopRequest) => void = () => {}
  readonly #channel: Channel
  #stores: StoreChannels | undefined
  readonly #topics: GroupTopics
  #stopRequest: StopRequest | undefined

  private constructor(number: number, total: number, topics: GroupTopics) {
    this.number = number
    this.total = total
    this.#topics = topics
    this.#channel = this.#open(channelDescriptor)
    // Node would end the process right after it, with the streams of its clients.
    cluster.worker?.once('disconnect', () => {
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
      this.#stop(this.primaryGone)
    })
    topics.connect({
      ask: (topic, question) => this.#ask(topic, question),
      publish: (topic, message) => this.#channel.notify('group.publish', topic, message),
    })
  }

  /** Whether new connections are accepted. */
  isListening: () => boolean = () => true
  /** How the worker stops when its primary is gone. */
  primaryGone: StopRequest = { drainMs: 30_000, delayMs: 0 }

  /**
   * Connects a worker with its primary; `undefined` if this process is not the worker of a `WorkerPool`. Throws `Error` if the primary
   * is of a release that it does not understand.
   */
  static connect(topics: GroupTopics): WorkerMember | undefined {
    const variable = process.env[workerVariable] ?? ''
    const [, number, total, version] = /^(\d+)\/(\d+)(?:\/(\d+))?$/.exec(variable) ?? []
    if (!cluster.isWorker || number === undefined) return undefined
    const member = new WorkerMember(Number(number), Number(total), topics)
    if (Number(version) !== messageVersion) {
      member.failed(otherRelease)
      throw new Error(otherRelease)
    }
    member.#shareStores()
    return member
  }

  #open(descriptor: number): Channel {
    const stream = new Socket({ fd: descriptor, readable: true, writable: true })
    const channel = new Channel(stream, (name, args) => this.#handle(name, args))
    // Another worker is started instead: without the shared stores this one would enforce limits of its own.
    void channel.closed.then(() => {
      if (channel.isUnreadable) this.#stop(this.primaryGone)
    })
    return channel
  }

  #shareStores(): void {
    this.#stores = {
      limits: this.#channel,
      cache: this.#open(textDescriptors.cache),
      responses: this.#open(textDescriptors.responses),
    }
    shareProcessStores(remoteStores(this.#stores, this.total))
  }

  /** Reports that requests are accepted. */
  ready(report: unknown): void {
    this.#channel.notify('ready', report)
    if (this.#stopRequest !== undefined) this.onStop(this.#stopRequest)
  }

  /** Reports why the worker cannot start, and that it would not at another attempt either. */
  failed(message: string): void {
    this.#channel.notify('failed', message)
    // The error may end this process before its turn is over.
    this.#channel.flush()
  }

  /** Leaves the primary its last answers, and disconnects. The process ends when nothing else keeps it alive. */
  async leave(): Promise<void> {
    if (this.#channel.isOpen) {
      const answers = await Promise.all(
        this.#topics.kept.map(async topic => [topic, await this.#topics.answerOf(topic, null)] as const),
      )
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>(resolve => {
        timer = setTimeout(resolve, finalMs)
      })
      const known = answers.filter(([, answer]) => answer !== null)
      await Promise.race([this.#channel.call('group.final', known).catch(() => {}), late])
      clearTimeout(timer)
    }
    this.#channel.close()
    this.#stores?.cache.close()
    this.#stores?.responses.close()
    shareProcessStores(undefined)
    this.#topics.connect(undefined)
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
    if (process.connected) process.disconnect()
  }

  #handle(name: string, args: readonly unknown[]): unknown {
    switch (name) {
      case 'stop': {
        const given = args[0] as StopRequest & { readonly drainMs: number | null }
        this.#stop({ ...given, drainMs: given.drainMs ?? Number.POSITIVE_INFINITY })
        return this.#unlistened()
      }
      case 'group.answer':
        return this.#topics.answerOf(args[0] as string, args[1])
      case 'group.message':
        return this.#topics.receive(args[0] as string, args[1])
      default:
        throw new TypeError(`A worker has no function ${name}.`)
    }
  }

  #stop(request: StopRequest): void {
    this.#stopRequest = request
    this.onStop(request)
  }

  /** Resolves when no new connection is accepted. */
  async #unlistened(): Promise<void> {
    while (this.isListening()) await new Promise(resolve => setTimeout(resolve, pollMs))
  }

  /** While the primary does not respond, this process is the only one that answers. */
  async #ask(topic: string, question: unknown): Promise<readonly unknown[]> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>(resolve => {
      timer = setTimeout(() => resolve(undefined), 2 * finalMs + 1_000)
    })
    const asked = this.#channel.call('group.ask', topic, question).catch(() => undefined)
    const answers = await Promise.race([asked, late])
    clearTimeout(timer)
    return (answers as readonly unknown[] | undefined) ?? [await this.#topics.answerOf(topic, question)]
  }
}
