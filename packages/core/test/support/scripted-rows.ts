import type { Journal } from '../../src/contracts/journal.ts'
import type { Charge, LedgerClosing, LedgerEntry } from '../../src/contracts/ledger.ts'
import type { LedgerBatch, LedgerRepository } from '../../src/contracts/ledger-repository.ts'
import type { PrincipalId } from '../../src/contracts/principal.ts'

/** One record as the scripted table holds it. */
export interface ScriptedRow {
  readonly entry: LedgerEntry
  closing?: LedgerClosing
  charge?: Charge | undefined
  lost?: boolean
  heardAt: number
}

/** What a part does with what it is asked: `hangs` keeps it until `release`. */
export type Mode = 'works' | 'fails' | 'hangs'

/** For tests: the table of a ledger in memory, and a database that comes and goes. */
export class ScriptedRows implements LedgerRepository {
  mode: Mode = 'works'
  /** Milliseconds that a write takes. */
  delayMs = 0
  readonly records = new Map<string, ScriptedRow>()
  /** What was asked, whether or not it was done. */
  readonly writes: LedgerBatch[] = []
  readonly sweeps: number[] = []
  readonly error = new Error('connection refused by db.internal')
  /** How often a closing took effect, by id. */
  readonly closedTimes = new Map<string, number>()
  #hanging: (() => void)[] = []

  async write(batch: LedgerBatch): Promise<void> {
    this.writes.push(batch)
    await this.#answer()
    for (const entry of batch.entries) this.#row(entry)
    for (const closing of batch.closings) {
      const row = this.#row(closing.entry)
      if (row.closing !== undefined) continue
      row.closing = closing
      row.lost = false
      this.closedTimes.set(closing.entry.id, (this.closedTimes.get(closing.entry.id) ?? 0) + 1)
    }
    for (const id of batch.cancelled ?? []) {
      if (this.records.get(id)?.closing === undefined) this.records.delete(id)
    }
    for (const { id, charge } of batch.progress) {
      const row = this.records.get(id)
      if (row === undefined || row.closing !== undefined) continue
      row.charge = charge ?? row.charge
      row.heardAt = performance.now()
    }
  }

  async closeOrphans(silentMs: number): Promise<number> {
    this.sweeps.push(silentMs)
    await this.#answer()
    const since = performance.now() - silentMs
    const open = [...this.records.values()].filter(
      ({ closing, lost, heardAt }) => !closing && !lost && heardAt <= since,
    )
    for (const row of open) row.lost = true
    return open.length
  }

  async deletePrincipal({ id, source }: PrincipalId): Promise<number> {
    await this.#answer()
    const own = [...this.records.values()].filter(
      ({ entry }) => entry.principal === id && entry.source === source,
    )
    for (const { entry } of own) this.records.delete(entry.id)
    return own.length
  }

  usage(): Promise<never> {
    return Promise.reject(new Error('not of these tests'))
  }

  /** What hung happens now. */
  release(): void {
    for (const go of this.#hanging.splice(0)) go()
  }

  async #answer(): Promise<void> {
    if (this.delayMs > 0) await new Promise(resolve => setTimeout(resolve, this.delayMs))
    if (this.mode === 'fails') throw this.error
    if (this.mode === 'hangs') await new Promise<void>(resolve => this.#hanging.push(resolve))
  }

  #row(entry: LedgerEntry): ScriptedRow {
    const row = this.records.get(entry.id) ?? { entry, heardAt: performance.now() }
    this.records.set(entry.id, row)
    return row
  }
}

/** For tests: a journal in memory, with room for so many batches. */
export class ScriptedJournal implements Journal {
  mode: Mode = 'works'
  room = Number.POSITIVE_INFINITY
  readonly batches: LedgerBatch[] = []
  /** Makes `replay` itself fail. */
  broken: Error | undefined
  #hanging: (() => void)[] = []

  get empty(): boolean {
    return this.batches.length === 0
  }

  async append(batch: LedgerBatch): Promise<void> {
    if (this.mode === 'fails' || this.batches.length >= this.room) throw new Error('no room in /var/journal')
    if (this.mode === 'hangs') await new Promise<void>(resolve => this.#hanging.push(resolve))
    this.batches.push(batch)
  }

  async replay(write: (batch: LedgerBatch) => Promise<void>): Promise<void> {
    if (this.broken !== undefined) throw this.broken
    while (this.batches.length > 0) {
      await write(this.batches[0]!)
      this.batches.shift()
    }
  }

  release(): void {
    for (const go of this.#hanging.splice(0)) go()
  }
}

/** A record to open and to close. */
export function entryOf(id: string): LedgerEntry {
  return {
    id,
    requestId: `req_${id}`,
    operation: 'generate',
    dialect: 'chat',
    principal: 'ann',
    tags: {},
    model: 'm',
    stream: false,
    openedAt: 0,
    estimate: chargeOf(1),
  }
}

export function closingOf(entry: LedgerEntry, tokens = 5): LedgerClosing {
  return {
    entry,
    closedAt: 1,
    outcome: 'completed',
    status: 200,
    provider: 'p',
    upstreamModel: 'up',
    responseModel: undefined,
    attempts: 1,
    charge: chargeOf(tokens),
    estimated: false,
    firstByteMs: 1,
    totalMs: 1,
  }
}

export function chargeOf(promptTokens: number): Charge {
  return { promptTokens, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0, cost: null }
}
