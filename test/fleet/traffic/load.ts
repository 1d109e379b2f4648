import { setTimeout as sleep } from 'node:timers/promises'
import type { CallRecord } from '../records/records.ts'
import type { Call } from './call.ts'
import { monotonicNow, send } from './client.ts'
import { callOf, offeredPerSecond } from './tenants.ts'

/** Clients of all tenants, at a fixed rate, whatever is answered. */
export class Load {
  readonly calls: CallRecord[] = []
  readonly #prefix: string
  readonly #origin: string
  readonly #keys: Readonly<Record<string, string>>
  readonly #random: () => number
  readonly #running = new Set<Promise<unknown>>()
  readonly #loops: Promise<void>[] = []
  #count = 0
  #stopped = false

  /** Marks begin with `prefix`; `keys` are those of the tenants. */
  constructor(prefix: string, origin: string, keys: Readonly<Record<string, string>>, random: () => number) {
    this.#prefix = prefix
    this.#origin = origin
    this.#keys = keys
    this.#random = random
  }

  start(): void {
    for (const tenant of Object.keys(offeredPerSecond) as (keyof typeof offeredPerSecond)[])
      this.#loops.push(this.#loop(tenant))
  }

  /** Sends one call more, to an origin of its own if there is one. */
  async send(given: Omit<Call, 'mark'>, origin = this.#origin): Promise<CallRecord> {
    const call: Call = { ...given, mark: this.#nextMark() }
    const sentAt = monotonicNow()
    const { end, requestId } = await send(call, this.#keys[call.tenant] ?? '', origin)
    const record: CallRecord = { call, sentAt, endedAt: monotonicNow(), end, requestId }
    this.calls.push(record)
    return record
  }

  /** Sends no more, and waits until all calls have ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#loops)
    await Promise.all(this.#running)
  }

  async #loop(tenant: keyof typeof offeredPerSecond): Promise<void> {
    const everyMs = 1_000 / offeredPerSecond[tenant]
    let next = performance.now() + this.#random() * everyMs
    while (!this.#stopped) {
      const wait = next - performance.now()
      if (wait > 0) await sleep(wait)
      if (this.#stopped) return
      next += everyMs
      const { mark: _, ...call } = callOf(tenant, '', this.#random)
      const sent = this.send(call).finally(() => this.#running.delete(sent))
      this.#running.add(sent)
    }
  }

  #nextMark(): string {
    return `${this.#prefix}-${++this.#count}`
  }
}
