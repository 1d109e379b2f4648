import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  chargeOf,
  closingOf,
  entryOf,
  type Mode,
  ScriptedJournal,
  ScriptedRows,
} from '../../test/support/scripted-rows.ts'
import type { Journal } from '../contracts/journal.ts'
import type { LedgerRepository } from '../contracts/ledger-repository.ts'
import { type BatchedLedger, batchedLedger } from './batched-ledger.ts'

/** What has to be true of one record. */
interface Expected {
  /** Its opening was told to be kept. */
  opened: boolean
  /** Whether its closing was given, and told to be kept; or its process died before either. */
  closing: 'none' | 'given' | 'kept' | 'died' | 'left'
}

interface Model {
  readonly expected: Map<string, Expected>
}

interface Real {
  readonly rows: ScriptedRows
  readonly journal: ScriptedJournal
  /** Whether processes have the journal: what waits in memory dies with its process. */
  readonly durable: boolean
  ledger: BatchedLedger
  process: { alive: boolean }
  next: number
  /** Open in the process that lives. */
  readonly open: string[]
}

/** A new process over the same table and the same journal. Once it has died, nothing comes back to it any more. */
function start(real: Omit<Real, 'ledger'> & { ledger?: BatchedLedger }): Real {
  const process = { alive: true }
  const within = <T>(run: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      if (!process.alive) return
      run().then(
        value => process.alive && resolve(value),
        error => process.alive && reject(error),
      )
    })
  const { rows, journal, durable } = real
  const own: Journal = {
    append: batch => within(() => journal.append(batch)),
    replay: write => within(() => journal.replay(batch => within(() => write(batch)))),
    get empty() {
      return journal.empty
    },
  }
  const table: LedgerRepository = {
    write: batch => within(() => rows.write(batch)),
    closeOrphans: ms => within(() => rows.closeOrphans(ms)),
    usage: () => rows.usage(),
  }
  return Object.assign(real, {
    process,
    ledger: batchedLedger(table, { ...(durable && { journal: own }), ...settings }),
  })
}

type Step = fc.AsyncCommand<Model, Real>

const passing = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const settings = { heartbeatMs: 1_000, silentMs: 4_000 }

const step = (name: string, run: (model: Model, real: Real) => Promise<void> | void): Step => ({
  check: () => true,
  run: async (model, real) => {
    await run(model, real)
    await passing(0)
    for (const times of real.rows.closedTimes.values()) expect(times).toBe(1)
  },
  toString: () => name,
})

const opening = fc.integer({ min: 1, max: 20 }).map(count =>
  step(`open ${count}`, ({ expected }, real) => {
    for (let index = 0; index < count; index++) {
      const id = `r${real.next++}`
      const state: Expected = { opened: false, closing: 'none' }
      expected.set(id, state)
      real.open.push(id)
      const { process } = real
      real.ledger
        .open(entryOf(id), () => chargeOf(3))
        .then(
          () => {
            if (process.alive) state.opened = true
          },
          () => {},
        )
    }
  }),
)
const closing = fc.nat({ max: 1_000 }).map(pick =>
  step(`close ${pick}`, ({ expected }, real) => {
    const [id] = real.open.splice(pick % Math.max(1, real.open.length), 1)
    const state = id === undefined ? undefined : expected.get(id)
    if (id === undefined || state === undefined) return
    state.closing = 'given'
    const { process } = real
    real.ledger.close(closingOf(entryOf(id))).then(
      () => {
        if (process.alive) state.closing = 'kept'
      },
      () => {},
    )
  }),
)
const time = fc.constantFrom(1, 100, 300, 1_500, 6_000).map(ms =>
  step(`${ms} ms`, async () => {
    await passing(ms)
  }),
)
const database = fc.constantFrom<Mode>('works', 'fails', 'hangs').map(mode =>
  step(`database ${mode}`, (_, { rows }) => {
    rows.mode = mode
    if (mode !== 'hangs') rows.release()
  }),
)
const slow = fc.constantFrom(0, 100, 400).map(ms =>
  step(`database takes ${ms} ms`, (_, { rows }) => {
    rows.delayMs = ms
  }),
)
const journal = fc
  .constantFrom<[Mode, number]>(['works', 99], ['fails', 99], ['works', 2])
  .map(([mode, room]) =>
    step(`journal ${mode}, room ${room}`, (_, real) => {
      real.journal.mode = mode
      real.journal.room = room
    }),
  )
const crash = fc.constant(
  step('crash', ({ expected }, real) => {
    // What hangs of the old process may still reach the table.
    for (const state of expected.values()) {
      if (!real.durable) state.opened = false
      if (state.closing === 'given') state.closing = 'died'
      if (state.closing === 'none') state.closing = 'left'
    }
    real.process.alive = false
    // Its timers are gone, and with them the fake time, which is the database's too.
    const now = performance.now()
    vi.clearAllTimers()
    vi.advanceTimersByTime(now)
    real.open.length = 0
    start(real)
  }),
)

describe('keptLedger, whatever happens', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('loses no record that was told to be kept, and closes each once', async () => {
    const steps = [opening, opening, closing, closing, closing, time, time, database, slow, journal, crash]
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.commands(steps, { maxCommands: 60 }), async (durable, commands) => {
        vi.clearAllTimers()
        const rows = new ScriptedRows()
        const journal = new ScriptedJournal()
        const real = start({ rows, journal, durable, process: { alive: true }, next: 0, open: [] })
        const model: Model = { expected: new Map() }
        await fc.asyncModelRun(() => ({ model, real }), commands)
        // All is well again, and the last process is used.
        void real.ledger.open(entryOf('last'), () => undefined).catch(() => {})
        rows.mode = 'works'
        rows.delayMs = 0
        rows.release()
        journal.mode = 'works'
        journal.room = 99
        await passing(25_000)
        expect(journal.empty).toBe(true)
        for (const [id, { opened, closing }] of model.expected) {
          const row = rows.records.get(id)
          if (opened || closing === 'given' || closing === 'kept') expect(row, id).toBeDefined()
          if (closing === 'given' || closing === 'kept') {
            expect(row?.closing?.charge, id).toEqual(chargeOf(5))
            expect(rows.closedTimes.get(id)).toBe(1)
          }
          if (row !== undefined && closing === 'none') expect(row.closing, id).toBeUndefined()
          // It was left by a process that died: whoever came after it has found it.
          if (row !== undefined && closing === 'left') expect(row.lost, id).toBe(true)
        }
        await Promise.all([real.ledger.stop(), passing(5_000)])
        expect(vi.getTimerCount()).toBe(0)
      }),
      { numRuns: 500 },
    )
  })
})
