import { randomBytes } from 'node:crypto'
import { memoryProcessStores } from '@sluice/core/adapter'
import type {
  CacheKey,
  CacheLifetime,
  CacheStore,
  LimitStore,
  MemoryStoreName,
  ProcessStores,
  ResponseStore,
  SharedHealth,
  SharedTargetChange,
  SlotQueue,
  StoredResponse,
} from '@sluice/core/store'
import { UnreadableMessageError } from './channel.ts'
import { WorkerClaims } from './remote-limits.ts'

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

interface Ticket {
  readonly leave: () => void
  release: (() => void) | undefined
  readonly answer: (granted: boolean) => void
}

/** What one worker has of the stores: it is released when the worker ends. */
export class StoreSession {
  readonly #host: StoreHost
  /** By the names of their stores. */
  readonly #claims = new Map<string, WorkerClaims>()
  readonly #id = randomBytes(12).toString('hex')
  readonly #tickets = new Map<number, Ticket>()
  #hasEnded = false

  constructor(host: StoreHost) {
    this.#host = host
  }

  /** Answers a call of the worker. Throws `TypeError` for a name that is none of a store. */
  handle(name: string, args: readonly unknown[]): unknown {
    // What was in its pipe when it ended would hold capacity that nobody releases.
    if (this.#hasEnded) throw new Error('The worker has ended.')
    switch (name) {
      case 'limits':
        return this.#limits(args)
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
    this.#hasEnded = true
    for (const claims of this.#claims.values()) claims.expire(expiryMs)
    this.#claims.clear()
    for (const ticket of [...this.#tickets.keys()]) this.#freeSlot([ticket])
  }

  #limits([name, values]: readonly unknown[]): unknown {
    if (typeof name !== 'string' || !Array.isArray(values)) {
      throw new UnreadableMessageError('A worker sent no operations.')
    }
    const claims = this.#claims.get(name) ?? new WorkerClaims(this.#host.limits(name), this.#id)
    this.#claims.set(name, claims)
    return claims.handle(values)
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
