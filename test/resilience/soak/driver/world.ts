import { Agent } from 'node:http'
import type { RequestOutcome } from '@sluice/core'
import { seededRandom } from '@sluice/testing'
import type { Gateway, Upstream } from '../process/child.ts'
import type { Ended } from '../process/messages.ts'
import { Mailbox } from './mailbox.ts'

/** What all clients of a soak share. */
export class World {
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 })
  readonly random = seededRandom(1)
  /** A request stands in the queue for its turn. */
  readonly queued = new Mailbox<true>('the queue')
  /** The upstream stands where its client is to leave. */
  readonly reached = new Mailbox<true>('the request at the upstream')
  /** When the upstream's connection was closed. */
  readonly closed = new Mailbox<number>("the close of the upstream's connection")
  readonly records = new Mailbox<Ended>('the record')
  /** What went otherwise than it should. */
  readonly failures: string[] = []
  /** Exchanges with the gateway that have ended. */
  exchanges = 0
  readonly upstreamPort: number
  readonly #ports: readonly number[]
  #count = 0

  constructor(ports: readonly number[], upstreamPort: number, gateway: Gateway, upstream: Upstream) {
    this.#ports = ports
    this.upstreamPort = upstreamPort
    gateway.on('queued', id => this.queued.put(id, true))
    gateway.on('ended', records => {
      for (const record of records) this.records.put(record.id, record)
    })
    upstream.on('reached', id => this.reached.put(id, true))
    upstream.on('closed', ({ id, at }) => this.closed.put(id, at))
  }

  /** A new name for an exchange, and the mount whose turn it is. */
  next(): { readonly id: string; readonly port: number } {
    const count = this.#count++
    return { id: `${count}`, port: this.#ports[count % this.#ports.length]! }
  }

  /** Runs one exchange with the gateway; whatever it throws is a failure. */
  async exchange(name: string, run: () => Promise<void>): Promise<void> {
    await this.attempt(name, run)
    this.exchanges++
  }

  /** The same for what the gateway has no record of. */
  async attempt(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** The record has to say how it ended. */
  async expectRecord(id: string, outcome: RequestOutcome, status?: number): Promise<Ended> {
    const record = await this.records.take(id)
    if (record.outcome === outcome && (status ?? record.status) === record.status) return record
    throw new Error(`the record says ${record.outcome} ${record.status}, not ${outcome} ${status ?? ''}`)
  }
}
