import type { ResponseStore } from '../contracts/response-store.ts'
import type { StoreCallResult, StoreClient } from '../stores/store-client.ts'

/** What a process reports, again and again, of a response that it runs. */
export interface RunLease {
  /** Until when it is taken to be alive, in milliseconds since 1970. */
  readonly aliveUntil: number
  /** The number of the first event of each part in which the events are stored. */
  readonly parts: readonly number[]
}

/** What another process wants of the one that runs a response. */
export type StopMark = 'cancel' | 'delete'

/** The response that entries belong to. */
export interface RunKey {
  readonly owner: string
  readonly id: string
}

/**
 * What is stored beside a response in the background: the lease of its process, what other processes want of it, and its events,
 * in parts. Each has one writer only, as a store cannot compare before it replaces. Callers cannot name these entries: their ids
 * have a space.
 */
export class BackgroundEntries {
  readonly #store: ResponseStore
  readonly #calls: StoreClient

  constructor(store: ResponseStore, calls: StoreClient) {
    this.#store = store
    this.#calls = calls
  }

  /** Returns whether it is stored. */
  putLease(key: RunKey, lease: RunLease): Promise<boolean> {
    return this.#put(key, 'lease', JSON.stringify(lease))
  }

  async lease(key: RunKey): Promise<StoreCallResult<RunLease | undefined>> {
    const result = await this.#get(key, 'lease')
    return result.ok
      ? { ok: true, value: result.value === undefined ? undefined : leaseIn(result.value) }
      : result
  }

  /** Returns whether it is stored. */
  putStop(key: RunKey, mark: StopMark): Promise<boolean> {
    return this.#put(key, 'stop', mark)
  }

  async stop(key: RunKey): Promise<StoreCallResult<StopMark | undefined>> {
    const result = await this.#get(key, 'stop')
    if (!result.ok) return result
    const { value } = result
    return { ok: true, value: value === 'cancel' || value === 'delete' ? value : undefined }
  }

  /** Returns whether it is stored. */
  putPart(key: RunKey, part: number, text: string): Promise<boolean> {
    return this.#put(key, `events ${part}`, text)
  }

  part(key: RunKey, part: number): Promise<StoreCallResult<string | undefined>> {
    return this.#get(key, `events ${part}`)
  }

  async deleteLease(key: RunKey): Promise<void> {
    await this.#delete(key, 'lease')
  }

  /** Deletes the lease and the events. A mark stays until it expires, for a process that has not seen it yet. */
  async deleteAll(key: RunKey, parts: number): Promise<void> {
    const events = Array.from({ length: parts }, (_, part) => this.#delete(key, `events ${part}`))
    await Promise.all([this.deleteLease(key), ...events])
  }

  async #put({ owner, id }: RunKey, name: string, text: string): Promise<boolean> {
    const entry = { owner, id: `${name} ${id}`, itemIds: [], text }
    const result = await this.#calls.call(() => this.#store.put(entry))
    return result.ok && result.value !== false
  }

  async #get({ owner, id }: RunKey, name: string): Promise<StoreCallResult<string | undefined>> {
    return this.#calls.call(() => this.#store.get(owner, `${name} ${id}`))
  }

  async #delete({ owner, id }: RunKey, name: string): Promise<void> {
    await this.#calls.call(() => this.#store.delete(owner, `${name} ${id}`))
  }
}

function leaseIn(text: string): RunLease | undefined {
  try {
    const lease = JSON.parse(text) as RunLease
    return typeof lease.aliveUntil === 'number' && Array.isArray(lease.parts) ? lease : undefined
  } catch {
    return undefined
  }
}
