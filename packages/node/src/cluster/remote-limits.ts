import type { Claim, Counter, CounterState, LimitDecision, LimitStore, Settlement } from '@sluice/core/store'
import { type Channel, type Message, UnreadableMessageError } from './channel.ts'
import { CounterDecoder, CounterEncoder, valuesPerCounter } from './counter-codec.ts'

// Tuned for the bench `workers`, row `with limits`: each request has an admission and a settlement. Those of a turn of the event loop
// are one flat list of numbers in one message. With a message for each, both processes used 12 us for a request, and not 9 (Node
// 24.21.0, AMD EPYC).

/**
 * What a worker asks of a store. `admit`, a slot, a time to live, a number of counters, and three values for each. `settle`, a slot,
 * a number of amounts, and each of them. `renew`, a time to live, a number of slots, and each of them.
 */
const operation = { admit: 1, settle: 2, renew: 3 } as const

/** What a decision starts with; `held`: the claim is to be settled. */
const flag = { allowed: 1, full: 2, held: 4 } as const
const valuesPerState = 4

/** How many values may wait to be written before calls fail. */
const maxUnsentValues = 1_000_000

/** An admission that the primary has not decided yet. */
interface PendingAdmission {
  readonly id: string
  readonly slot: number
  readonly counters: number
  readonly resolve: (decision: LimitDecision) => void
  readonly reject: (error: Error) => void
}

/** The calls of one turn of the event loop. */
interface Batch {
  readonly message: Message
  /** The number of lines before it was written. */
  readonly line: number
  readonly values: unknown[]
  readonly admissions: PendingAdmission[]
}

/**
 * A limit store of the primary. Settlements and renewals have no answer: the primary gets them in order, or has ended, and with it
 * all that it counted.
 */
export class RemoteLimitStore implements LimitStore {
  readonly #channel: Channel
  readonly #name: string
  readonly #counters = new CounterEncoder()
  /** The slots of claims that are to be settled, by id. A slot is the number of a claim. */
  readonly #claims = new Map<string, number>()
  readonly #freeSlots: number[] = []
  #slots = 0
  #batch: Batch | undefined

  constructor(channel: Channel, name: string) {
    this.#channel = channel
    this.#name = name
  }

  admit({ id, ttlMs, counters }: Claim): Promise<LimitDecision> {
    return new Promise((resolve, reject) => {
      const batch = this.#open()
      if (batch.admissions.length === 0) this.#call(batch)
      const slot = this.#freeSlots.pop() ?? this.#slots++
      batch.admissions.push({ id, slot, counters: counters.length, resolve, reject })
      batch.values.push(operation.admit, slot, ttlMs, counters.length)
      this.#counters.encode(counters, batch.values)
    })
  }

  /** Throws `TypeError` for amounts that are no whole numbers, and `Error` if nothing can be sent. */
  settle({ id, charged }: Settlement): void {
    if (!charged.every(isAmount)) throw new TypeError(`settle(): got ${charged}, expected whole numbers.`)
    const slot = this.#claims.get(id)
    // One that is unknown was settled before, or never admitted.
    if (slot === undefined) return
    const { values } = this.#open()
    values.push(operation.settle, slot, charged.length)
    for (const amount of charged) values.push(amount)
    this.#claims.delete(id)
    this.#freeSlots.push(slot)
  }

  renew(claims: readonly Pick<Claim, 'id'>[], ttlMs: number): void {
    const slots = claims.flatMap(({ id }) => this.#claims.get(id) ?? [])
    if (slots.length > 0) this.#open().values.push(operation.renew, ttlMs, slots.length, ...slots)
  }

  /** Returns the batch of this turn. Throws `Error` if nothing can be sent. */
  #open(): Batch {
    let batch = this.#batch
    const line = this.#channel.lines
    if (batch?.line !== line) {
      const values: unknown[] = []
      const message = this.#channel.post('limits', this.#name, values)
      batch = { message, line, values, admissions: [] }
      this.#batch = batch
    }
    if (batch.values.length > maxUnsentValues)
      throw new Error('The primary does not read what was sent to it.')
    return batch
  }

  /** Makes a batch a call. */
  #call({ message, admissions }: Batch): void {
    this.#channel.expectAnswer(message).then(
      answer => this.#decide(admissions, answer),
      (error: Error) => {
        this.#counters.reset()
        for (const { slot, reject } of admissions) {
          this.#freeSlots.push(slot)
          reject(error)
        }
      },
    )
  }

  #decide(admissions: readonly PendingAdmission[], answer: unknown): void {
    const values: readonly (number | string)[] = Array.isArray(answer) ? answer : []
    let at = 0
    for (const { id, slot, counters, resolve, reject } of admissions) {
      const flags = values[at++]
      if (typeof flags !== 'number') {
        this.#counters.reset()
        this.#freeSlots.push(slot)
        reject(new Error(flags ?? 'The primary did not decide.'))
        continue
      }
      const end = at + counters * valuesPerState
      if ((flags & flag.held) === 0) this.#freeSlots.push(slot)
      else this.#claims.set(id, slot)
      resolve(decisionOf(flags, values as readonly number[], at, end))
      at = end
    }
  }
}

/** Returns a decision: its flags, and four numbers for each counter from an index on. */
function decisionOf(flags: number, values: readonly number[], from: number, to: number): LimitDecision {
  const counters: CounterState[] = []
  for (let at = from; at < to; at += valuesPerState) {
    counters.push({
      over: values[at] === 1,
      remaining: values[at + 1]!,
      resetMs: decodeMs(values[at + 2]!),
      waitMs: decodeMs(values[at + 3]!),
    })
  }
  const allowed = (flags & flag.allowed) !== 0
  return (flags & flag.full) !== 0 ? { allowed, full: true, counters } : { allowed, counters }
}

/** Stores measure in whole microseconds, which JSON has in fewer digits. -1 is `Infinity`, which it does not have. */
function encodeMs(ms: number): number {
  return ms === Number.POSITIVE_INFINITY ? -1 : Math.round(ms * 1_000)
}

function decodeMs(us: number): number {
  return us === -1 ? Number.POSITIVE_INFINITY : us / 1_000
}

/** What one worker has of a limit store in the memory of the primary. */
export class WorkerClaims {
  readonly #store: LimitStore
  readonly #decoder = new CounterDecoder()
  readonly #worker: string
  /** The ids of slots in the store. */
  readonly #ids: string[] = []
  /** The counters of claims that are to be settled, by slot. */
  readonly #counters: (readonly Counter[] | undefined)[] = []

  /** @param worker - 24 hexadecimal digits that no other worker has. */
  constructor(store: LimitStore, worker: string) {
    this.#store = store
    this.#worker = worker
  }

  /**
   * Handles the operations of a message. Returns the decisions of its admissions, or why one is invalid. Throws
   * `UnreadableMessageError` where it is not clear what was sent.
   */
  handle(values: readonly unknown[]): readonly (number | string)[] {
    const answer: (number | string)[] = []
    for (let at = 0; at < values.length; ) {
      switch (values[at]) {
        case operation.admit: {
          const end = endOf(values, at + 4, values[at + 3], valuesPerCounter)
          this.#admit(this.#slotAt(values, at + 1), values, at, answer)
          at = end
          break
        }
        case operation.settle: {
          const end = endOf(values, at + 3, values[at + 2], 1)
          this.#settle(this.#slotAt(values, at + 1), values.slice(at + 3, end) as number[])
          at = end
          break
        }
        case operation.renew: {
          const end = endOf(values, at + 3, values[at + 2], 1)
          this.#renew(values[at + 1] as number, values.slice(at + 3, end) as number[])
          at = end
          break
        }
        default:
          throw new UnreadableMessageError('A worker sent an unknown operation.')
      }
    }
    return answer
  }

  /** Makes all claims expire after so many milliseconds. */
  expire(ms: number): void {
    this.#renew(
      ms,
      this.#ids.map((_, slot) => slot),
    )
    this.#counters.length = 0
  }

  #admit(slot: number, values: readonly unknown[], at: number, answer: (number | string)[]): void {
    if (this.#counters[slot] !== undefined)
      throw new UnreadableMessageError('A worker sent a slot that is in use.')
    try {
      const counters = this.#decoder.decode(values, at + 4, values[at + 3] as number)
      const id = this.#ids[slot]!
      const decision = this.#store.admit({ id, ttlMs: values[at + 2] as number, counters })
      if (decision instanceof Promise) throw new TypeError('A store in memory is synchronous.')
      const held = decision.allowed && counters.some(hasReservation)
      if (held) this.#counters[slot] = counters
      const { allowed, full, counters: states } = decision
      answer.push((allowed ? flag.allowed : 0) + (full === true ? flag.full : 0) + (held ? flag.held : 0))
      for (const { over, remaining, resetMs, waitMs } of states) {
        answer.push(over ? 1 : 0, remaining, encodeMs(resetMs), encodeMs(waitMs))
      }
    } catch (error) {
      answer.push(error instanceof Error ? error.message : String(error))
    }
  }

  #settle(slot: number, charged: readonly number[]): void {
    const counters = this.#counters[slot]
    if (counters?.length !== charged.length || !charged.every(isAmount)) {
      throw new UnreadableMessageError('A worker settled a claim that it does not have.')
    }
    this.#counters[slot] = undefined
    void this.#store.settle({ id: this.#ids[slot]!, counters, charged })
  }

  #renew(ttlMs: number, slots: readonly number[]): void {
    const claims = slots.flatMap(slot => {
      const counters = this.#counters[slot]
      return counters === undefined ? [] : [{ id: this.#ids[slot]!, counters }]
    })
    void this.#store.renew(claims, ttlMs)
  }

  /** Returns the slot at an index. Workers use slots again, and new ones in order. */
  #slotAt(values: readonly unknown[], at: number): number {
    const slot = values[at]
    const isSlot = typeof slot === 'number' && Number.isInteger(slot) && slot >= 0 && slot <= this.#ids.length
    if (!isSlot) throw new UnreadableMessageError('A worker sent an unknown slot.')
    if (slot === this.#ids.length) this.#ids.push(this.#worker + slot.toString(16).padStart(8, '0'))
    return slot
  }
}

function isAmount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Returns the index after a number of values. */
function endOf(values: readonly unknown[], from: number, count: unknown, size: number): number {
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0
  const end = isCount ? from + count * size : Number.NaN
  if (!(end <= values.length)) throw new UnreadableMessageError('A worker sent too few values.')
  return end
}

function hasReservation(counter: Counter): boolean {
  return counter.kind !== 'rate' || counter.floor !== undefined
}
