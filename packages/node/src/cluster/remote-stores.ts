import { slotQueue } from '@sluice/core/adapter'
import type {
  AddResult,
  CacheKey,
  CacheLifetime,
  CacheStore,
  ProcessStores,
  ResponseStore,
  SharedHealth,
  SharedTargetChange,
  SharedTargetState,
  SlotQueue,
  StoredResponse,
} from '@sluice/core/store'
import type { Channel } from './channel.ts'
import { RemoteLimitStore } from './remote-limits.ts'

/** The channels of a worker to its stores: `limits` is that of all that is short, and that requests of everybody wait for. */
export interface StoreChannels {
  readonly limits: Channel
  readonly cache: Channel
  readonly responses: Channel
}

/** The stores of the primary, as its workers use them. */
export function remoteStores(channels: StoreChannels, processes: number): ProcessStores {
  const tickets = new SlotTickets(channels.limits, processes)
  const slots = memoized((key: string) => {
    const [provider, size] = JSON.parse(key) as [string, number]
    return new RemoteSlots(tickets, provider, size)
  })
  const limits = memoized(name => new RemoteLimitStore(channels.limits, name))
  const cache = memoized(name => remoteCacheStore(channels.cache, name))
  const responses = memoized(name => remoteResponseStore(channels.responses, name))
  return {
    processes,
    limits: name => limits(JSON.stringify(name)),
    cache: name => cache(JSON.stringify(name)),
    responses: name => responses(JSON.stringify(name)),
    health: remoteHealth(channels.limits),
    slots: (provider, size) => slots(JSON.stringify([provider, size])),
  }
}

function memoized<T>(create: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>()
  return key => {
    const known = made.get(key) ?? create(key)
    made.set(key, known)
    return known
  }
}

function remoteCacheStore(channel: Channel, store: string): CacheStore {
  const call = (name: string, { owner, name: entry }: CacheKey, ...args: readonly unknown[]) =>
    channel.call(`cache.${name}`, store, owner, entry, ...args)
  return {
    get: key => call('get', key) as Promise<string | undefined>,
    set: async (key, text, lifetime) => void (await call('set', key, text, lifetime)),
    add: (key, text, lifetime) => call('add', key, text, lifetime) as Promise<AddResult>,
    replace: (key, expected, text, lifetime: CacheLifetime) =>
      call('replace', key, expected, text ?? null, lifetime) as Promise<boolean>,
    deleteOwner: owner => channel.call('cache.deleteOwner', store, owner) as Promise<number>,
  }
}

function remoteResponseStore(channel: Channel, store: string): ResponseStore {
  const call = (name: string, ...args: readonly unknown[]) =>
    channel.call(`responses.${name}`, store, ...args)
  return {
    put: (response: StoredResponse) => call('put', response) as Promise<boolean>,
    get: (owner, id) => call('get', owner, id) as Promise<string | undefined>,
    findItem: (owner, itemId) => call('findItem', owner, itemId) as Promise<string | undefined>,
    delete: (owner, id) => call('delete', owner, id) as Promise<boolean>,
    deleteOwner: owner => call('deleteOwner', owner) as Promise<number>,
  }
}

function remoteHealth(channel: Channel): SharedHealth {
  return {
    async read(ids) {
      const states = (await channel.call('health.read', ids)) as readonly (SharedTargetState | null)[]
      return states.map(state => state ?? undefined)
    },
    write: (changes: readonly SharedTargetChange[]) =>
      channel.call('health.write', changes) as Promise<readonly number[]>,
    acquireProbe: (id, holder, ms) => channel.call('health.acquireProbe', id, holder, ms) as Promise<boolean>,
    releaseProbe: async (id, holder) => void (await channel.call('health.releaseProbe', id, holder)),
  }
}

/** How often the primary has to respond while calls wait for one of its slots, and within what time, in milliseconds. */
const checkMs = 1_000

interface Waiting {
  /** Waits for one of this process's own slots instead. */
  goLocal(): void
}

/** Tickets for slots of the primary. */
class SlotTickets {
  readonly processes: number
  readonly #channel: Channel
  readonly #waiting = new Set<Waiting>()
  #last = 0
  #timer: NodeJS.Timeout | undefined

  constructor(channel: Channel, processes: number) {
    this.#channel = channel
    this.processes = processes
  }

  /** Resolves to the ticket of a slot; `undefined` if the call has left the queue. Rejects if the primary is gone. */
  acquire(provider: string, size: number, digest: string): { ticket: number; granted: Promise<boolean> } {
    const ticket = ++this.#last
    const granted = this.#channel.call('slots.acquire', ticket, provider, size, digest) as Promise<boolean>
    return { ticket, granted }
  }

  free(ticket: number): void {
    this.#channel.notify('slots.free', ticket)
  }

  /** Calls `goLocal` if the primary does not respond. */
  watch(waiting: Waiting): void {
    this.#waiting.add(waiting)
    this.#timer ??= setTimeout(() => void this.#check(), checkMs).unref()
  }

  unwatch(waiting: Waiting): void {
    this.#waiting.delete(waiting)
  }

  async #check(): Promise<void> {
    const waiting = [...this.#waiting]
    if (waiting.length > 0 && !(await responds(this.#channel))) for (const each of waiting) each.goLocal()
    this.#timer = undefined
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => void this.#check(), checkMs).unref()
  }
}

function responds(channel: Channel): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(false), checkMs).unref()
    const done = (answer: boolean) => {
      clearTimeout(timer)
      resolve(answer)
    }
    channel.call('ping').then(
      () => done(true),
      () => done(false),
    )
  })
}

/** The slots of a provider in the primary. While that does not respond, this process has a share of them. */
class RemoteSlots implements SlotQueue {
  readonly #tickets: SlotTickets
  readonly #provider: string
  readonly #size: number
  #local: SlotQueue | undefined

  constructor(tickets: SlotTickets, provider: string, size: number) {
    this.#tickets = tickets
    this.#provider = provider
    this.#size = size
  }

  wait(caller: { readonly digest: string }, taken: (release: () => void) => void): () => void {
    const tickets = this.#tickets
    const { ticket, granted } = tickets.acquire(this.#provider, this.#size, caller.digest)
    let state: 'waiting' | 'local' | 'done' = 'waiting'
    let leaveLocal = () => {}
    const waiting: Waiting = {
      goLocal: () => {
        if (state !== 'waiting') return
        state = 'local'
        tickets.unwatch(waiting)
        // The primary may still grant it.
        tickets.free(ticket)
        leaveLocal = this.#ownSlots().wait(caller, taken)
      },
    }
    tickets.watch(waiting)
    granted.then(
      isGranted => {
        if (!isGranted || state !== 'waiting') return
        state = 'done'
        tickets.unwatch(waiting)
        let held = true
        taken(() => {
          if (held) tickets.free(ticket)
          held = false
        })
      },
      () => waiting.goLocal(),
    )
    return () => {
      if (state === 'local') leaveLocal()
      else if (state === 'waiting') tickets.free(ticket)
      state = 'done'
      tickets.unwatch(waiting)
    }
  }

  #ownSlots(): SlotQueue {
    this.#local ??= slotQueue(Math.max(1, Math.floor(this.#size / this.#tickets.processes)))
    return this.#local
  }
}
