import type {
  Claim,
  Counter,
  CounterState,
  DecidedClaim,
  LimitDecision,
  LimitStore,
  Settlement,
} from '../contracts/limit-store.ts'
import { unknownOptions } from '../errors/check-options.ts'
import { ConfigurationError, configurationError } from '../errors/configuration-error.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { noteMemoryStore } from '../stores/process-stores.ts'
import { type Moment, storeClock } from '../stores/store-clock.ts'
import {
  ClaimReservation,
  type Count,
  CountTable,
  checkCounter,
  type OpenClaim,
  OpenClaims,
} from './counter-table.ts'
import { LeaseCount, RateCount, SumCount } from './counters.ts'

/** Options of `memoryLimitStore`. */
export interface MemoryLimitStoreOptions {
  /**
   * Maximum number of counters, from 1 to 10,000,000. A counter is evicted once it is unused: nothing is charged or reserved. If
   * all are in use, a request that needs another one fails with a 503 `limit_store_full`. Default 100,000.
   */
  readonly maxKeys?: number | undefined
  /** Returns milliseconds since 1970. Default: the system clock for calendar windows, a monotonic one for all else. */
  readonly now?: (() => number) | undefined
}

/** A `LimitStore` in the memory of this process. Its operations are synchronous. */
export interface MemoryLimitStore extends LimitStore {
  admit(claim: Claim): LimitDecision
  settle(settlement: Settlement): void
  renew(claims: readonly Pick<Claim, 'id'>[], ttlMs: number): void
  /** Number of claims with reservations. */
  readonly held: number
}

/**
 * Creates a limit store in the memory of this process. Several limiters may share it. Of claims that have expired, the latest
 * 100,000 can still be settled, for an hour.
 *
 * Throws `ConfigurationError` for invalid options.
 */
export function memoryLimitStore(options: MemoryLimitStoreOptions = {}): MemoryLimitStore {
  const unknown = unknownOptions(options, ['maxKeys', 'now'])
  if (unknown.length > 0) throw new ConfigurationError('memoryLimitStore()', unknown)
  const { maxKeys = 100_000, now } = ownMembers(options)
  if (!(Number.isInteger(maxKeys) && maxKeys >= 1 && maxKeys <= 10_000_000)) {
    throw configurationError(
      'memoryLimitStore()',
      ['maxKeys'],
      maxKeys,
      'a whole number from 1 to 10,000,000',
    )
  }
  if (now !== undefined && typeof now !== 'function') {
    throw configurationError('memoryLimitStore()', ['now'], now, 'a function')
  }
  const store = new CountsInMemory(maxKeys, storeClock(now))
  noteMemoryStore('limits', store, options)
  return store
}

/**
 * Returns a faster interface of a `memoryLimitStore`, or `undefined` for any other store, or one with replaced methods. Its
 * claims need neither ids nor renewal, because they end with the process.
 */
export function directMemoryStore(store: LimitStore): DirectStore | undefined {
  if (!(store instanceof CountsInMemory)) return undefined
  const { admit, settle } = CountsInMemory.prototype
  return store.admit === admit && store.settle === settle ? store : undefined
}

export interface DirectStore {
  /** Decides a claim. Only its first settlement has an effect. */
  claim(counters: readonly Counter[]): DecidedClaim
}

/** How long expired claims can still be settled, in microseconds, and the maximum number of them: 58 MiB with two counters each. */
const lateUs = 3_600_000_000
const maxLate = 100_000

class CountsInMemory implements MemoryLimitStore, DirectStore {
  readonly #clock: () => Moment
  readonly #counts: CountTable
  /** The counts of the claim that is being decided. Reused, which saves an array per request. */
  readonly #scratch: Count[] = []
  readonly #open = new OpenClaims()
  /** Number of open claims without an id. */
  #unnamed = 0
  /** Claims that fell back to their floors, oldest first: their settlements may still charge more. */
  readonly #late = new Map<string, OpenClaim>()

  constructor(maxKeys: number, clock: () => Moment) {
    this.#clock = clock
    this.#counts = new CountTable(maxKeys)
  }

  get held(): number {
    this.#moment()
    return this.#open.size + this.#unnamed
  }

  admit({ id, ttlMs, counters }: Claim): LimitDecision {
    const moment = this.#moment()
    const ttlUs = Math.round(ttlMs * 1_000)
    const claim: OpenClaim = { id, held: undefined, endless: false, ttlUs, expiresAt: moment.us + ttlUs }
    const decision = this.#decide(counters, claim, moment)
    if (claim.held !== undefined) this.#open.add(claim)
    return decision
  }

  claim(counters: readonly Counter[]): DecidedClaim {
    const claim = new EndlessClaim(this)
    claim.decision = this.#decide(counters, claim, this.#moment())
    if (claim.held !== undefined) this.#unnamed++
    return claim
  }

  settleEndless(claim: EndlessClaim, charged: readonly number[]): void {
    this.#unnamed--
    this.#settle(claim, charged, this.#moment(), true)
  }

  /** Takes the amounts of all counters or of none, and adds the reservations to the claim. */
  #decide(counters: readonly Counter[], claim: OpenClaim, moment: Moment): LimitDecision {
    let allowed = true
    const counts = this.#scratch
    for (const counter of counters) checkCounter(counter)
    for (let index = 0; index < counters.length; index++) {
      const counter = counters[index] as Counter
      const count = this.#counts.find(counter) ?? newCount(counter)
      count.load(counter, moment)
      if (!counter.dryRun && count.isOver(counter, moment)) allowed = false
      counts[index] = count
    }
    const crowded = allowed && counters.length > this.#counts.free
    const capacity = crowded ? this.#capacityFor(counters, moment) : 'all'
    const full = capacity === 'none'
    if (full) allowed = false
    const states: CounterState[] = []
    for (let index = 0; index < counters.length; index++) {
      const count = counts[index] as Count
      const counter = counters[index] as Counter
      const over = count.isOver(counter, moment)
      const takes = allowed && !over && (!crowded || fits(capacity, count, counter))
      if (takes) this.#take(count, counter, claim, index)
      states.push(count.state(counter, over, moment))
    }
    return full ? { allowed, full, counters: states } : { allowed, counters: states }
  }

  #capacityFor(counters: readonly Counter[], moment: Moment): Capacity {
    const counts = this.#scratch
    counts.length = counters.length
    let all = 0
    let limits = 0
    for (let index = 0; index < counters.length; index++) {
      if ((counts[index] as Count).stored) continue
      all++
      if (!(counters[index] as Counter).dryRun) limits++
    }
    this.#counts.evictIdle(all, counts, moment)
    if (all <= this.#counts.free) return 'all'
    return limits <= this.#counts.free ? 'limits' : 'none'
  }

  #take(count: Count, counter: Counter, claim: OpenClaim, index: number): void {
    const window = count.take(counter, claim)
    if (counter.kind !== 'rate' || counter.floor !== undefined) {
      count.holders++
      claim.held = new ClaimReservation(count, counter, index, window, claim.held)
    }
    // Only now, so that refusals use no memory.
    this.#counts.add(count)
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
    this.#settle(claim, charged, moment, open !== undefined)
  }

  /** @param live - whether the claim has not expired, and so has not fallen back to its floor. */
  #settle(claim: OpenClaim, charged: readonly number[], moment: Moment, live: boolean): void {
    for (let part = claim.held; part !== undefined; part = part.next) {
      const { count, counter, index } = part
      count.load(counter, moment)
      count.settle(part, claim, charged[index] ?? 0, live)
      count.holders--
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

  /** Returns the time, after expiring all claims that are due. */
  #moment(): Moment {
    const moment = this.#clock()
    if (this.#open.size === 0 && this.#late.size === 0) return moment
    for (const claim of this.#open.expired(moment.us)) {
      for (let part = claim.held; part !== undefined; part = part.next) {
        part.count.expire(part, claim, moment.wallUs - (moment.us - claim.expiresAt))
      }
      if (hasFloor(claim)) this.#late.set(claim.id, claim)
      else release(claim)
    }
    for (const [id, claim] of this.#late) {
      if (this.#late.size <= maxLate && moment.us <= claim.expiresAt + lateUs) break
      this.#late.delete(id)
      release(claim)
    }
    return moment
  }
}

/** Whether an expired claim can still be charged: all but leases have a floor. */
function hasFloor({ held }: OpenClaim): boolean {
  for (let part = held; part !== undefined; part = part.next) if (part.counter.kind !== 'lease') return true
  return false
}

function release({ held }: OpenClaim): void {
  for (let part = held; part !== undefined; part = part.next) part.count.holders--
}

/** Which counts of a claim fit: all, all except new dry runs, or not even the enforced ones. */
type Capacity = 'all' | 'limits' | 'none'

function fits(capacity: Capacity, count: Count, counter: Counter): boolean {
  return capacity === 'all' || count.stored || !counter.dryRun
}

const undecided: LimitDecision = { allowed: false, counters: [] }

/** A claim and its decision in one object, which saves an allocation per request. */
class EndlessClaim implements OpenClaim, DecidedClaim {
  readonly id = ''
  readonly endless = true
  ttlUs = Number.POSITIVE_INFINITY
  expiresAt = Number.POSITIVE_INFINITY
  held: ClaimReservation | undefined
  decision = undecided
  readonly #store: CountsInMemory
  #settled = false

  constructor(store: CountsInMemory) {
    this.#store = store
  }

  settle(charged: readonly number[]): void {
    if (this.#settled || this.held === undefined) return
    this.#settled = true
    this.#store.settleEndless(this, charged)
  }
}

function newCount({ kind, key }: Counter): Count {
  if (kind === 'rate') return new RateCount(key)
  return kind === 'sum' ? new SumCount(key) : new LeaseCount(key)
}
