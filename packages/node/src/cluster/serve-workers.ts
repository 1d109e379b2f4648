import cluster from 'node:cluster'
import type { IncomingMessage, Server } from 'node:http'
import { availableParallelism } from 'node:os'
import type { Gateway } from '@sluice/core'
import { configurationError } from '@sluice/core/adapter'
import { checkMilliseconds } from '../check-milliseconds.ts'
import { ListenError } from '../listen-error.ts'
import type { ServeOptions, Serving } from '../serving.ts'
import { onStopSignal } from '../stop-signal.ts'
import { processTopics } from './worker-group.ts'
import { WorkerMember } from './worker-member.ts'
import { WorkerPool } from './worker-pool.ts'

/** Where a server with workers listens, when it stops, and how many workers it has. */
export interface ServeWorkersOptions extends ServeOptions {
  /** Number of processes that accept requests: a whole number from 1 to 1,024, or `auto` for one per available core. */
  readonly workers: number | 'auto'
}

/** A gateway that is served by several processes, as one of them sees it. */
export interface ServingWorkers extends Omit<Serving, 'server'> {
  /** `primary`: this process runs the workers. `worker`: it accepts requests. `single`: it does so alone. */
  readonly role: 'primary' | 'worker' | 'single'
  /** Number of workers. */
  readonly workers: number
  /** The server of this process; `undefined` in the primary, which has none. */
  readonly server: Server | undefined
  /**
   * Replaces each worker by a new process, one after the other, which runs the script as it is now. No connection is refused, and
   * responses of old workers end as they would, without a limit of time.
   *
   * Rejects with `WorkerStartError` if a new worker cannot start: the old ones go on. Rejects with `TypeError` if this process is
   * not the primary.
   */
  reload(): Promise<void>
}

type Options = ServeWorkersOptions & { readonly port: number; readonly host: string }
type ServeHere = (
  gateway: Gateway<IncomingMessage>,
  options: ServeOptions & { readonly port: number; readonly host: string },
) => Promise<Serving>

const maxWorkers = 1_024
/** A process has one channel to its primary, and one set of workers. */
let hasWorkers = false
const defaultDrainMs = 30_000

/** Returns a number of workers. Throws `ConfigurationError` for an invalid one. */
export function workerCount(workers: unknown, source: string): number {
  if (workers === 'auto') return availableParallelism()
  if (Number.isInteger(workers) && (workers as number) >= 1 && (workers as number) <= maxWorkers) {
    return workers as number
  }
  throw configurationError(source, ['workers'], workers, `a whole number from 1 to ${maxWorkers}, or 'auto'`)
}

/** Serves a gateway with workers, in whatever role this process has. Port and host are valid. */
export async function serveWorkers(
  gateway: Gateway<IncomingMessage>,
  options: Options,
  serveHere: ServeHere,
): Promise<ServingWorkers> {
  const count = workerCount(options.workers, 'serve()')
  if (count === 1) return alone(await serveHere(gateway, options))
  if (hasWorkers) {
    throw configurationError('serve()', ['workers'], options.workers, 'one server with workers per process')
  }
  hasWorkers = true
  const member = WorkerMember.connect(processTopics)
  if (member !== undefined) return serveMember(member, gateway, options, serveHere)
  try {
    if (cluster.isPrimary) return await servePrimary(gateway, options, count)
    throw configurationError(
      'serve()',
      ['workers'],
      options.workers,
      'none, as this process is a worker of node:cluster already',
    )
  } catch (error) {
    hasWorkers = false
    throw error
  }
}

function alone(serving: Serving): ServingWorkers {
  const { server, port, url, close } = serving
  return {
    role: 'single',
    workers: 1,
    ...{ server, port, url, close },
    get ready() {
      return serving.ready
    },
    reload: () => Promise.reject(notPrimary('single')),
  }
}

function notPrimary(role: string): TypeError {
  return new TypeError(`reload: this process is '${role}', expected 'primary'.`)
}

async function serveMember(
  member: WorkerMember,
  gateway: Gateway<IncomingMessage>,
  options: Options,
  serveHere: ServeHere,
): Promise<ServingWorkers> {
  const { signals = true, drainMs = defaultDrainMs, shutdownDelayMs = 0 } = options
  const serving = await serveHere(gateway, { ...options, signals: false }).catch((error: unknown) => {
    if (error instanceof ListenError) member.failed(error.message)
    throw error
  })
  let leaving: Promise<void> | undefined
  const close: Serving['close'] = given => {
    const closing = serving.close(given)
    leaving ??= closing.finally(() => member.leave())
    return Promise.all([closing, leaving]).then(() => {})
  }
  member.primaryGone = { drainMs, delayMs: 0 }
  member.isListening = () => serving.server.listening
  member.onStop = request => void close(request).catch(() => {})
  if (signals) {
    const forget = onStopSignal(() => close({ drainMs, delayMs: shutdownDelayMs }))
    serving.server.once('close', forget)
  }
  const { server, port, url } = serving
  member.ready({ port, url })
  return {
    role: 'worker',
    workers: member.total,
    ...{ server, port, url, close },
    get ready() {
      return serving.ready
    },
    reload: () => Promise.reject(notPrimary('worker')),
  }
}

async function servePrimary(
  gateway: Gateway<IncomingMessage>,
  options: Options,
  count: number,
): Promise<ServingWorkers> {
  const { signals = true, drainMs = defaultDrainMs, shutdownDelayMs = 0 } = options
  const log = (text: string) => void process.stderr.write(`${text}\n`)
  const { pool, report } = await WorkerPool.start({ count, topics: processTopics, log })
  const { port, url } = report as { readonly port: number; readonly url: string }
  void pool.ended.then(() => {
    hasWorkers = false
  })
  let closed: Promise<void> | undefined
  const close: Serving['close'] = (given = {}) => {
    const { drainMs = defaultDrainMs, delayMs = 0 } = given
    try {
      checkMilliseconds('close()', 'drainMs', drainMs, Number.POSITIVE_INFINITY)
      checkMilliseconds('close()', 'delayMs', delayMs)
    } catch (error) {
      return Promise.reject(error)
    }
    const ended = pool.close({ drainMs, delayMs })
    closed ??= ended.then(() => gateway.close({ drainMs: 0 }))
    return closed
  }
  if (signals) {
    const forget = onStopSignal(() => close({ drainMs, delayMs: shutdownDelayMs }))
    void pool.ended.then(forget)
  }
  return {
    role: 'primary',
    workers: count,
    server: undefined,
    ...{ port, url, close },
    get ready() {
      return pool.ready
    },
    reload: () => pool.reload(),
  }
}
