import { LRUCache } from 'lru-cache'
import type { Count } from './count.ts'
import { LeaseCount } from './lease-count.ts'
import type { Claim, Counter, LimitStore, Settlement, Verdict } from './limit-store.ts'
import { type OpenClaim, OpenClaims } from './open-claims.ts'
import { RateCount } from './rate-count.ts'
import { checkCounter } from './sound-counter.ts'
import { type Moment, storeClock } from './store-clock.ts'
import { SumCount } from './sum-count.ts'

export interface MemoryStoreOptions {
  /**
   * How many counts are remembered, from 1 to 10,000,000; the one longest unused is forgotten first, but none of which
   * something is held. Default 100,000.
   */
  readonly maxKeys?: number
  /**
   * Milliseconds since 1970. Default: the machine's clock for windows of the calendar, and one that cannot be set for
   * all else.
   */
  readonly now?: () => number
}

/** Counts in the memory of this process: every answer comes at once. */
export interface MemoryStore extends LimitStore {
  admit(claim: Claim): Verdict
  settle(settlement: Settlement): void
  renew(claims: readonly Pick<Claim, 'id'>[], ttlMs: number): void
  /** How many claims hold something: 0 where nothing is under way. */
  readonly held: number
}

/**
 * Keeps counts in the memory of this process. Several limiters may share one.
 *
 * Throws `TypeError` for options that it cannot use.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { maxKeys = 100_000, now } = options
  if (!(Number.isInteger(maxKeys) && maxKeys >= 1 && maxKeys <= 10_000_000)) {
    throw new TypeError(
      `memoryStore(): got maxKeys ${String(maxKeys)}, expected a whole number from 1 to 10,000,000.`,
    )
  }
  if (now !== undefined && typeof now !== 'function') {
    throw new TypeError(`memoryStore(): got now ${String(now)}, expected a function.`)
  }
  return new CountsInMemory(maxKeys, storeClock(now))
}

/** How long a claim that was never settled can be, in microseconds after its time was over; and how many of them. */
const lateUs = 3_600_000_000
const mostLate = 10_000

class CountsInMemory implements MemoryStore {
  readonly #clock: () => Moment
  readonly #counts: LRUCache<string, Count>
  /** Counts that had to make room although something is held of them. A new count in their place would let it twice. */
  readonly #pinned = new Map<string, Count>()
  readonly #open = new OpenClaims()
  /** Claims that fell back to their floor, oldest first. */
  readonly #late = new Map<string, OpenClaim>()

  constructor(maxKeys: number, clock: () => Moment) {
    this.#clock = clock
    this.#counts = new LRUCache({
      max: maxKeys,
      dispose: (count, key, reason) => {
        if (reason !== 'evict') return
        if (count.holders > 0) this.#pinned.set(key, count)
        else count.kept = false
      },
    })
  }

  get held(): number {
    this.#moment()
    return this.#open.size
  }

  admit({ id, ttlMs, counters }: Claim): Verdict {
    for (const counter of counters) checkCounter(counter)
    const moment = this.#moment()
    let allowed = true
    const counts: Count[] = []
    const over: boolean[] = []
    for (const counter of counters) {
      const count = this.#find(counter)
      count.load(counter, moment)
      const isOver = count.isOver(counter, moment)
      if (isOver && !counter.shadow) allowed = false
      counts.push(count)
      over.push(isOver)
    }
    if (allowed) {
      const ttlUs = Math.round(ttlMs * 1_000)
      const claim: OpenClaim = { id, parts: [], ttlUs, expiresAt: moment.us + ttlUs }
      for (const [index, counter] of counters.entries()) {
        const count = counts[index]
        if (count === undefined || over[index]) continue
        const window = count.take(counter, claim)
        if (counter.kind !== 'rate' || counter.floor !== undefined) {
          count.holders++
          claim.parts.push({ count, counter, index, window })
        }
        this.#keep(count)
      }
      if (claim.parts.length > 0) this.#open.add(claim)
    }
    return {
      allowed,
      counters: counters.map((counter, index) =>
        (counts[index] as Count).standing(counter, over[index] === true, moment),
      ),
    }
  }

  settle({ id, counters, charged }: Settlement): void {
    if (charged.length !== counters.length) {
      throw new TypeError(`settle(): got ${charged.length} charges, expected ${counters.length}.`)
    }
    const moment = this.#moment()
    const open = this.#open.get(id)
    const claim = open ?? this.#late.get(id)
    if (claim === undefined || moment.us > claim.expiresAt + lateUs) return
    if (open === undefined) this.#late.delete(id)
    else this.#open.remove(open)
    for (const part of claim.parts) {
      const { count, counter, index } = part
      count.load(counter, moment)
      count.settle(part, claim, charged[index] ?? 0, open !== undefined)
      if (open !== undefined) this.#let(count)
    }
  }

  renew(claims: readonly Pick<Claim, 'id'>[], ttlMs: number): void {
    const { us } = this.#moment()
    for (const { id } of claims) {
      const claim = this.#open.get(id)
      if (claim === undefined) continue
      this.#open.remove(claim)
      claim.ttlUs = Math.round(ttlMs * 1_000)
      claim.expiresAt = us + claim.ttlUs
      this.#open.add(claim)
    }
  }

  /** The time, and all that has ended by then. */
  #moment(): Moment {
    const moment = this.#clock()
    for (const claim of this.#open.expired(moment.us)) {
      for (const part of claim.parts) {
        part.count.expire(part, claim, moment.wallUs - (moment.us - claim.expiresAt))
        this.#let(part.count)
      }
      this.#late.set(claim.id, claim)
    }
    for (const [id, claim] of this.#late) {
      if (this.#late.size <= mostLate && moment.us <= claim.expiresAt + lateUs) break
      this.#late.delete(id)
    }
    return moment
  }

  /** A count that is new is kept only when something is taken of it: refusals fill no memory. */
  #find(counter: Counter): Count {
    const key = `${counter.kind}:${counter.key}`
    return this.#counts.get(key) ?? this.#pinned.get(key) ?? newCount(counter, key)
  }

  #keep(count: Count): void {
    if (count.kept) return
    count.kept = true
    this.#counts.set(count.key, count)
  }

  #let(count: Count): void {
    count.holders--
    if (count.holders > 0 || this.#pinned.size === 0) return
    if (this.#pinned.delete(count.key)) this.#counts.set(count.key, count)
  }
}

function newCount({ kind }: Counter, key: string): Count {
  if (kind === 'rate') return new RateCount(key)
  return kind === 'sum' ? new SumCount(key) : new LeaseCount(key)
}
