import { memoryProcessStores } from '@sluice/core/adapter'
import type {
  CacheKey,
  CacheLifetime,
  CacheStore,
  Counter,
  LimitStore,
  MemoryStoreName,
  ProcessStores,
  ResponseStore,
  SharedHealth,
  SharedTargetChange,
  SlotQueue,
  StoredResponse,
} from '@sluice/core/store'
import { CounterDecoder, type EncodedCounters } from './counter-codec.ts'
import { encodeDecision } from './remote-stores.ts'

/** How soon the claims of a worker that ended expire, in milliseconds. */
const expiryMs = 1

/** The stores in the memory of the primary, which its workers use over their channels: by their names as JSON. */
export class StoreHost {
  readonly #stores: ProcessStores
  readonly limits: (name: string) => LimitStore
  readonly cache: (name: string) => CacheStore
  readonly responses: (name: string) => ResponseStore

  constructor(processes: number) {
    const stores = memoryProcessStores(processes, () => performance.now())
    this.#stores = stores
    this.limits = byName(name => stores.limits(name))
    this.cache = byName(name => stores.cache(name))
    this.responses = byName(name => stores.responses(name))
  }

  get health(): SharedHealth {
    return this.#stores.health
  }

  slots(provider: string, size: number): SlotQueue {
    return this.#stores.slots(provider, size)
  }
}

/** Parses each text once. */
function byName<T>(open: (name: MemoryStoreName) => T): (text: string) => T {
  const opened = new Map<string, T>()
  return text => {
    const known = opened.get(text) ?? open(JSON.parse(text) as MemoryStoreName)
    opened.set(text, known)
    return known
  }
}

interface OpenClaim {
  readonly store: LimitStore
  readonly counters: readonly Counter[]
}

interface Ticket {
  readonly leave: () => void
  release: (() => void) | undefined
  readonly answer: (granted: boolean) => void
}

/** What one worker has of the stores: it is released when the worker ends. */
export class StoreSession {
  readonly #host: StoreHost
  readonly #claims = new Map<string, OpenClaim>()
  /** By the names of their stores. */
  readonly #counters = new Map<string, CounterDecoder>()
  readonly #tickets = new Map<number, Ticket>()

  constructor(host: StoreHost) {
    this.#host = host
  }

  /** Answers a call of the worker. Throws `TypeError` for a name that is none of a store. */
  handle(name: string, args: readonly unknown[]): unknown {
    switch (name) {
      case 'limits.admit':
        return this.#admit(args as [string, string, number, EncodedCounters])
      case 'limits.settle':
        return this.#settle(args as [string, string, readonly number[]])
      case 'limits.renew':
        return this.#renew(args as [string, readonly string[], number])
      case 'slots.acquire':
        return this.#acquireSlot(args as [number, string, number, string])
      case 'slots.free':
        return this.#freeSlot(args as [number])
      case 'ping':
        return undefined
      default:
        return callStore(this.#host, name, args)
    }
  }

  /** Releases all that the worker holds. Its claims expire, so that what they are sure to cost stays charged. */
  end(): void {
    for (const [id, { store, counters }] of this.#claims) void store.renew([{ id, counters }], expiryMs)
    this.#claims.clear()
    for (const ticket of [...this.#tickets.keys()]) this.#freeSlot([ticket])
  }

  #admit([name, id, ttlMs, encoded]: [string, string, number, EncodedCounters]): unknown {
    const store = this.#host.limits(name)
    const decoder = this.#counters.get(name) ?? new CounterDecoder()
    this.#counters.set(name, decoder)
    const counters = decoder.decode(encoded)
    const decision = store.admit({ id, ttlMs, counters })
    if (decision instanceof Promise) throw new TypeError('A store in memory is synchronous.')
    if (decision.allowed && counters.some(hasReservation)) this.#claims.set(id, { store, counters })
    return encodeDecision(decision)
  }

  #settle([name, id, charged]: [string, string, readonly number[]]): void {
    const claim = this.#claims.get(id)
    this.#claims.delete(id)
    // One that is unknown was settled before, and the first settlement is the one that counts.
    if (claim === undefined) return
    void this.#host.limits(name).settle({ id, counters: claim.counters, charged })
  }

  #renew([name, ids, ttlMs]: [string, readonly string[], number]): void {
    const claims = ids.map(id => ({ id, counters: this.#claims.get(id)?.counters ?? [] }))
    void this.#host.limits(name).renew(claims, ttlMs)
  }

  #acquireSlot([id, provider, size, digest]: [number, string, number, string]): Promise<boolean> {
    return new Promise(answer => {
      let isGranted = false
      let release: (() => void) | undefined
      const leave = this.#host.slots(provider, size).wait({ digest }, free => {
        isGranted = true
        release = free
        const ticket = this.#tickets.get(id)
        if (ticket !== undefined) ticket.release = free
        answer(true)
      })
      this.#tickets.set(id, { leave, release: isGranted ? release : undefined, answer })
    })
  }

  #freeSlot([id]: readonly [number]): void {
    const ticket = this.#tickets.get(id)
    if (ticket === undefined) return
    this.#tickets.delete(id)
    if (ticket.release === undefined) {
      ticket.leave()
      ticket.answer(false)
    } else ticket.release()
  }
}

function hasReservation(counter: Counter): boolean {
  return counter.kind !== 'rate' || counter.floor !== undefined
}

type CacheArguments = readonly [string, string, string, ...unknown[]]

function callStore(host: StoreHost, name: string, args: readonly unknown[]): unknown {
  switch (name) {
    case 'cache.deleteOwner':
      return host.cache(args[0] as string).deleteOwner?.(args[1] as string)
    case 'cache.get':
    case 'cache.set':
    case 'cache.add':
    case 'cache.replace':
      return callCache(host, name, args as CacheArguments)
    case 'responses.put':
      return host.responses(args[0] as string).put(args[1] as StoredResponse)
    case 'responses.deleteOwner':
      return host.responses(args[0] as string).deleteOwner?.(args[1] as string)
    case 'responses.get':
    case 'responses.findItem':
    case 'responses.delete': {
      const [store, owner, id] = args as [string, string, string]
      const method = name.slice('responses.'.length) as 'get' | 'findItem' | 'delete'
      return host.responses(store)[method](owner, id)
    }
    case 'health.read':
      return host.health.read(args[0] as readonly string[])
    case 'health.write':
      return host.health.write(args[0] as readonly SharedTargetChange[])
    case 'health.acquireProbe':
      return host.health.acquireProbe(...(args as [string, string, number]))
    case 'health.releaseProbe':
      return host.health.releaseProbe(...(args as [string, string]))
    default:
      throw new TypeError(`The primary has no function ${name}.`)
  }
}

function callCache(
  host: StoreHost,
  name: string,
  [storeName, owner, entry, ...rest]: CacheArguments,
): unknown {
  const store = host.cache(storeName)
  const key: CacheKey = { owner, name: entry }
  switch (name) {
    case 'cache.get':
      return store.get(key)
    case 'cache.set':
      return store.set(key, rest[0] as string, rest[1] as CacheLifetime)
    case 'cache.add':
      return store.add(key, rest[0] as string, rest[1] as CacheLifetime)
    default: {
      const [expected, text, lifetime] = rest as [string, string | null, CacheLifetime]
      return store.replace(key, expected, text ?? undefined, lifetime)
    }
  }
}
