import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  chargeOf,
  closingOf,
  entryOf,
  ScriptedJournal,
  ScriptedRows,
} from '../../test/support/scripted-rows.ts'
import type { GatewayEvent } from '../contracts/events.ts'
import type { Charge } from '../contracts/ledger.ts'
import { type BatchedLedgerOptions, batchedLedger } from './batched-ledger.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const nothing = () => undefined
const passing = (ms: number) => vi.advanceTimersByTimeAsync(ms)

function kept(options: BatchedLedgerOptions = {}, rows = new ScriptedRows()) {
  const events: GatewayEvent[] = []
  const ledger = batchedLedger(rows, { observe: event => events.push(event), ...options })
  const open = (id: string, progress: () => Charge | undefined = nothing) =>
    outcome(ledger.open(entryOf(id), progress))
  const close = (id: string) => outcome(ledger.close(closingOf(entryOf(id))))
  const states = () => events.map(event => (event.type === 'store' ? event.state : event.type))
  const written = () =>
    rows.writes
      .map(({ entries, closings }) => [ids(entries), ids(closings.map(({ entry }) => entry))])
      .filter(write => write.join('') !== '')
  return { ledger, rows, events, states, open, close, written }
}

const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id).join('')

const lossesOf = (events: readonly GatewayEvent[]) =>
  events.filter(({ type }) => type === 'ledger_records_lost')

/** What became of a promise so far. */
function outcome(promise: Promise<void>) {
  const state = { now: 'pending', error: undefined as unknown, promise }
  promise.then(
    () => {
      state.now = 'kept'
    },
    error => {
      state.now = 'refused'
      state.error = error
    },
  )
  return state
}

describe('keptLedger', () => {
  it('writes the first at once, and what comes meanwhile with the next write', async () => {
    const { rows, open, close, written } = kept()
    rows.mode = 'hangs'
    const first = open('a')
    expect(written()).toEqual([['a', '']])
    const more = [open('b'), close('a'), open('c')]
    await passing(10)
    expect([first.now, ...more.map(({ now }) => now)]).toEqual(['pending', 'pending', 'pending', 'pending'])
    rows.mode = 'works'
    rows.release()
    await passing(0)
    expect(written()).toEqual([
      ['a', ''],
      ['bc', 'a'],
    ])
    expect([first.now, ...more.map(({ now }) => now)]).toEqual(['kept', 'kept', 'kept', 'kept'])
  })

  it('writes a call that nobody got as one record, which it never opens', async () => {
    const { ledger, rows, written } = kept()
    const call = outcome(ledger.recordDiscarded(closingOf({ ...entryOf('a'), kind: 'shadow' })))
    await passing(0)
    expect(call.now).toBe('kept')
    expect(written()).toEqual([['', 'a']])
    expect(rows.records.get('a')?.entry.kind).toBe('shadow')
    await passing(60_000)
    expect(rows.writes.flatMap(({ progress }) => progress)).toEqual([])
  })

  it('deletes the records of a principal, those that still wait to be written too', async () => {
    const { ledger, rows, open } = kept()
    rows.mode = 'hangs'
    open('a')
    open('b')
    const deleting = ledger.deletePrincipal!({ id: 'ann' })
    rows.mode = 'works'
    rows.release()
    expect(await deleting).toBe(2)
    expect(rows.records.size).toBe(0)
    await open('c').promise
    expect(await ledger.deletePrincipal!({ id: 'ann', source: 'jwt' })).toBe(0)
    expect([...rows.records.keys()]).toEqual(['c'])
  })

  it('deletes nothing while the database is away, and says so', async () => {
    const { ledger, rows } = kept()
    rows.mode = 'fails'
    await expect(ledger.deletePrincipal!({ id: 'ann' })).rejects.toBe(rows.error)
  })

  it('has no deletion where its repository has none', () => {
    const { write, closeOrphans, usage } = new ScriptedRows()
    expect(batchedLedger({ write, closeOrphans, usage }).deletePrincipal).toBeUndefined()
  })

  it('brings no more than 500 records by one write', async () => {
    const { rows, open } = kept()
    rows.mode = 'hangs'
    open('first')
    const all = Array.from({ length: 1_100 }, (_, index) => open(`r${index}`))
    rows.mode = 'works'
    rows.release()
    await passing(0)
    expect(rows.writes.map(({ entries }) => entries.length)).toEqual([1, 500, 500, 100])
    expect(all.every(({ now }) => now === 'kept')).toBe(true)
  })

  it('writes a closing in the place of an entry that still waits', async () => {
    const { rows, open, close, written } = kept()
    rows.mode = 'hangs'
    open('a')
    const [opened, closed] = [open('b'), close('b')]
    rows.mode = 'works'
    rows.release()
    await passing(0)
    expect(written()).toEqual([
      ['a', ''],
      ['', 'b'],
    ])
    expect([opened.now, closed.now]).toEqual(['kept', 'kept'])
  })

  describe('over a database that is away', () => {
    it.each(['fails', 'hangs'] as const)('takes the journal after one attempt where it %s', async mode => {
      const journal = new ScriptedJournal()
      const { rows, states, events, open, close } = kept({ journal })
      rows.mode = mode
      const first = open('a')
      await passing(mode === 'hangs' ? 249 : 0)
      expect(first.now).toBe(mode === 'hangs' ? 'pending' : 'kept')
      await passing(1)
      expect(first.now).toBe('kept')
      const asked = rows.writes.length
      const rest = [close('a'), open('b')]
      await passing(0)
      expect(rest.map(({ now }) => now)).toEqual(['kept', 'kept'])
      expect(rows.writes).toHaveLength(asked)
      expect(journal.batches).toHaveLength(3)
      expect(states()).toEqual(['failing'])
      if (mode === 'fails') expect(events).toMatchObject([{ store: 'ledger', error: rows.error }])
    })

    it('finds no record later of an entry that it refused, whether or not the database had written it', async () => {
      const journal = new ScriptedJournal()
      const { rows, ledger, open, close } = kept({ journal })
      const kept1 = open('kept')
      await passing(0)
      rows.mode = 'hangs'
      journal.mode = 'fails'
      const [tried, waiting] = [open('tried'), open('waiting')]
      await passing(250)
      const refused = open('refused')
      await passing(0)
      expect([kept1.now, tried.now, waiting.now, refused.now]).toEqual(['kept', ...Array(3).fill('refused')])
      for (const id of ['tried', 'waiting', 'refused']) await ledger.cancel(entryOf(id))
      // What the database was given it writes after all.
      rows.mode = 'works'
      rows.release()
      await passing(0)
      expect([...rows.records.keys()]).toContain('tried')
      await passing(10_000)
      close('kept')
      await ledger.flush()
      expect([...rows.records.keys()]).toEqual(['kept'])
      await passing(60_000)
      expect(rows.writes.filter(({ cancelled = [] }) => cancelled.length > 0)).toHaveLength(1)
    })

    it('finds no record later of an entry for which there was no room, or that was waiting', async () => {
      const { rows, ledger, open, close } = kept({ maxPending: 2 })
      rows.mode = 'fails'
      open('a')
      open('b')
      await passing(0)
      const refused = open('c')
      await passing(0)
      expect(refused.now).toBe('refused')
      await ledger.cancel(entryOf('c'))
      // A host that gave up on it.
      await ledger.cancel(entryOf('b'))
      close('a')
      rows.mode = 'works'
      await passing(10_000)
      expect([...rows.records.keys()]).toEqual(['a'])
    })

    it('tries it after 250 ms, then ever more seldom, and writes the journal in its order when it is back', async () => {
      const journal = new ScriptedJournal()
      const { rows, states, open, close, written } = kept({ journal })
      rows.mode = 'fails'
      open('a')
      await passing(0)
      close('a')
      await passing(0)
      open('b')
      await passing(0)
      const at: number[] = []
      let seen = rows.writes.length
      for (let ms = 0; ms < 20_000; ms += 50) {
        await passing(50)
        if (rows.writes.length > seen) at.push(ms + 50)
        seen = rows.writes.length
      }
      expect(at).toEqual([250, 750, 1_750, 3_750, 7_750, 12_750, 17_750])
      // The first write, and one for each attempt.
      expect(rows.writes).toHaveLength(8)
      rows.mode = 'works'
      rows.writes.length = 0
      await passing(5_000)
      expect(written()).toEqual([
        ['a', ''],
        ['', 'a'],
        ['b', ''],
      ])
      expect(journal.empty).toBe(true)
      expect(states()).toEqual(['failing', 'working'])
      expect(rows.records.get('a')?.closing).toBeDefined()
    })

    it('takes a write that happens after its time for what it is: the record is there once', async () => {
      const journal = new ScriptedJournal()
      const { rows, open, close } = kept({ journal })
      rows.mode = 'hangs'
      const [opened] = [open('a')]
      await passing(250)
      const closed = close('a')
      await passing(0)
      rows.mode = 'works'
      rows.release()
      await passing(10_000)
      expect([opened.now, closed.now]).toEqual(['kept', 'kept'])
      expect(rows.records.size).toBe(1)
      expect(rows.closedTimes.get('a')).toBe(1)
    })

    it('writes new records at once as soon as it answers, and the rest of the journal beside them', async () => {
      const journal = new ScriptedJournal()
      const { rows, open, close } = kept({ journal })
      rows.mode = 'fails'
      for (const id of 'abcdef') {
        open(id)
        await passing(0)
      }
      rows.mode = 'works'
      rows.delayMs = 100
      await passing(250 + 150)
      const late = open('z')
      await passing(200)
      expect(late.now).toBe('kept')
      expect(journal.empty).toBe(false)
      close('a')
      await passing(2_000)
      expect([...rows.records.keys()].sort().join('')).toBe('abcdefz')
      expect(journal.empty).toBe(true)
    })

    it('does not flutter over one that is slow: its journal is written, and it counts as away', async () => {
      const journal = new ScriptedJournal()
      const { rows, states, open } = kept({ journal })
      rows.delayMs = 400
      for (let sent = 0; sent < 20; sent++) {
        const opened = open(`r${sent}`)
        await passing(300)
        expect(opened.now).toBe('kept')
      }
      await passing(30_000)
      expect(journal.empty).toBe(true)
      expect(rows.records.size).toBe(20)
      expect(states()).toEqual(['failing'])
      rows.delayMs = 0
      await passing(5_500)
      expect(states()).toEqual(['failing', 'working'])
    })

    it('refuses entries where the journal has no room, and holds closings in memory', async () => {
      const journal = new ScriptedJournal()
      journal.room = 1
      const { rows, open, close } = kept({ journal })
      rows.mode = 'fails'
      const first = open('a')
      await passing(0)
      const [second, closed, other] = [open('b'), close('a'), close('c')]
      await passing(1_000)
      expect([first.now, second.now, closed.now, other.now]).toEqual([
        'kept',
        'refused',
        'pending',
        'pending',
      ])
      expect(second.error).toMatchObject({ message: 'no room in /var/journal' })
      rows.mode = 'works'
      await passing(5_000)
      expect([closed.now, other.now]).toEqual(['kept', 'kept'])
      expect([...rows.records.keys()]).toEqual(['a', 'c'])
      expect(rows.records.get('a')?.closing).toBeDefined()
    })

    it('gives up on a journal that does not answer, until it does', async () => {
      const journal = new ScriptedJournal()
      const { rows, open, close } = kept({ journal })
      rows.mode = 'fails'
      journal.mode = 'hangs'
      const [first] = [open('a')]
      await passing(5_000)
      expect(first.now).toBe('refused')
      const [second, closed] = [open('b'), close('a')]
      await passing(0)
      expect([second.now, closed.now]).toEqual(['refused', 'pending'])
      journal.mode = 'works'
      journal.release()
      await passing(0)
      const third = open('c')
      await passing(0)
      expect(third.now).toBe('kept')
      rows.mode = 'works'
      await passing(5_000)
      expect(closed.now).toBe('kept')
      expect(rows.records.get('a')?.closing).toBeDefined()
    })

    it('is not held up by a journal that cannot be read, tells of it, and reads it when it can', async () => {
      const journal = new ScriptedJournal()
      const { rows, states, events, open } = kept({ journal })
      rows.mode = 'fails'
      open('a')
      await passing(0)
      rows.mode = 'works'
      journal.broken = new Error('unreadable')
      await passing(5_000)
      const direct = open('b')
      await passing(0)
      expect([direct.now, rows.records.has('b'), rows.records.has('a')]).toEqual(['kept', true, false])
      expect(states()).toEqual(['failing'])
      expect(rows.sweeps).toEqual([])
      journal.broken = undefined
      await passing(5_000)
      expect(rows.records.has('a')).toBe(true)
      expect(states()).toEqual(['failing', 'working'])
      expect(events).toHaveLength(2)
    })

    it('begins with what an earlier process left in the journal, without being used', async () => {
      const journal = new ScriptedJournal()
      journal.batches.push({ entries: [entryOf('old')], closings: [], progress: [] })
      const { rows } = kept({ journal })
      expect(rows.sweeps).toEqual([])
      await passing(0)
      expect([...rows.records.keys()]).toEqual(['old'])
      expect(rows.sweeps).toEqual([30_000])
      expect(rows.records.get('old')?.lost).toBeUndefined()
      await passing(60_000)
      expect(rows.records.get('old')?.lost).toBe(true)
      expect(rows.sweeps).toHaveLength(2)
      expect(vi.getTimerCount()).toBe(0)
    })
  })

  describe('without a journal', () => {
    it('holds what it is given in memory, and goes on at once', async () => {
      const { rows, states, open, close, written } = kept()
      rows.mode = 'fails'
      const first = open('a')
      await passing(0)
      const rest = [open('b'), close('b')]
      await passing(0)
      expect([first, ...rest].map(({ now }) => now)).toEqual(['kept', 'kept', 'pending'])
      rows.mode = 'works'
      rows.writes.length = 0
      await passing(250)
      expect(written()).toEqual([['a', 'b']])
      expect(rest[1]?.now).toBe('kept')
      expect(states()).toEqual(['failing', 'working'])
    })

    it('writes a closing that comes while its entry is being written', async () => {
      const { rows, open, close, written } = kept()
      rows.mode = 'fails'
      open('a')
      await passing(0)
      rows.mode = 'works'
      rows.delayMs = 100
      rows.writes.length = 0
      await passing(300)
      const closed = close('a')
      await passing(500)
      expect(written()).toEqual([
        ['a', ''],
        ['', 'a'],
      ])
      expect([closed.now, rows.closedTimes.get('a')]).toEqual(['kept', 1])
    })

    it('tries again soon where the database fails anew', async () => {
      const { rows, open } = kept()
      rows.mode = 'fails'
      open('a')
      await passing(10_000)
      rows.mode = 'works'
      await passing(5_000)
      open('b')
      await passing(0)
      rows.mode = 'fails'
      open('c')
      await passing(0)
      rows.mode = 'works'
      await passing(250)
      expect(rows.records.has('c')).toBe(true)
    })

    it('holds no more than maxPending: refuses entries, and a closing drives out an entry', async () => {
      const { rows, events, open, close } = kept({ maxPending: 3 })
      rows.mode = 'fails'
      const opened = [open('a'), open('b'), open('c')]
      await passing(0)
      expect(opened.map(({ now }) => now)).toEqual(['kept', 'kept', 'kept'])
      const refused = open('d')
      await passing(0)
      expect(refused).toMatchObject({
        now: 'refused',
        error: { message: expect.stringContaining('maxPending') },
      })
      // Its entry waits: it takes its place. The others drive out a and c, whose closings bring them again.
      const closed = [close('b'), close('d'), close('e')]
      await passing(0)
      const lost = close('f')
      await passing(0)
      expect([...closed, lost].map(({ now }) => now)).toEqual(['pending', 'pending', 'pending', 'refused'])
      close('g')
      expect(lossesOf(events)).toEqual([])
      await passing(1_000)
      expect(lossesOf(events)).toEqual([{ type: 'ledger_records_lost', records: 2, reason: 'full' }])
      rows.mode = 'works'
      await passing(5_000)
      expect(closed.map(({ now }) => now)).toEqual(['kept', 'kept', 'kept'])
      expect([...rows.records.keys()].sort()).toEqual(['b', 'd', 'e'])
      close('a')
      await passing(0)
      expect(rows.records.get('a')?.closing).toBeDefined()
    })

    it('keeps no call that nobody got where there is no room, and drives out nothing for it', async () => {
      const { ledger, rows, events, open } = kept({ maxPending: 2 })
      rows.mode = 'fails'
      const [first, second] = [open('a'), open('b')]
      await passing(0)
      const call = outcome(ledger.recordDiscarded(closingOf({ ...entryOf('c'), kind: 'hedge' })))
      await passing(0)
      expect([first.now, second.now, call.now]).toEqual(['kept', 'kept', 'refused'])
      expect(call.error).toMatchObject({ message: expect.stringContaining('maxPending') })
      rows.mode = 'works'
      await passing(5_000)
      expect(lossesOf(events)).toEqual([{ type: 'ledger_records_lost', records: 1, reason: 'full' }])
      expect([...rows.records.keys()]).toEqual(['a', 'b'])
    })

    it('bounds what waits for a write that hangs, too', async () => {
      const { rows, open, close } = kept({ maxPending: 2 })
      rows.mode = 'hangs'
      const [first, second, third] = [open('a'), open('b'), open('c')]
      const closed = close('d')
      await passing(0)
      expect([first.now, second.now, third.now, closed.now]).toEqual([
        'pending',
        'refused',
        'refused',
        'pending',
      ])
    })
  })

  describe('of records that are open', () => {
    it('tells that they live and what they have used, as long as any is open', async () => {
      const { rows, open, close } = kept({ heartbeatMs: 1_000, silentMs: 2_000 })
      let used = 1
      open('a', () => chargeOf(used))
      open('b', () => {
        throw new Error('progress')
      })
      await passing(0)
      rows.writes.length = 0
      await passing(1_000)
      used = 2
      await passing(1_000)
      expect(rows.writes.map(({ entries, progress }) => [entries.length, ids(progress)])).toEqual([
        [0, 'ba'],
        [0, 'ba'],
      ])
      expect(rows.records.get('a')?.charge).toEqual(chargeOf(2))
      expect(rows.records.get('b')?.charge).toBeUndefined()
      close('a')
      close('b')
      await passing(0)
      rows.writes.length = 0
      await passing(20_000)
      expect(rows.writes).toEqual([])
      expect(vi.getTimerCount()).toBe(0)
    })

    it('tells of 1,200 in three writes', async () => {
      const { rows, open } = kept()
      for (let index = 0; index < 1_200; index++) open(`r${index}`)
      await passing(0)
      rows.writes.length = 0
      await passing(5_000)
      expect(rows.writes.map(({ progress }) => progress.length)).toEqual([500, 500, 200])
    })

    it('is silent while the database is away, and tells at once when it is back', async () => {
      const journal = new ScriptedJournal()
      const { rows, open } = kept({ journal, heartbeatMs: 60_000, silentMs: 120_000 })
      open('a', () => chargeOf(7))
      await passing(0)
      rows.mode = 'fails'
      open('b')
      await passing(12_000)
      expect(journal.batches.every(({ progress }) => progress.length === 0)).toBe(true)
      rows.mode = 'works'
      await passing(5_000)
      expect(rows.records.get('a')?.charge).toEqual(chargeOf(7))
    })

    it('tells of all of them to a database that is slow', async () => {
      const journal = new ScriptedJournal()
      const { rows, open } = kept({ journal })
      for (let index = 0; index < 6_000; index++) open(`r${index}`, () => chargeOf(7))
      await passing(0)
      rows.delayMs = 400
      await passing(20_000)
      expect([...rows.records.values()].every(({ charge }) => charge !== undefined)).toBe(true)
    })

    it('tells nothing of one whose opening was refused', async () => {
      const journal = new ScriptedJournal()
      journal.room = 0
      const { rows, open } = kept({ journal })
      rows.mode = 'fails'
      const opened = open('a', () => chargeOf(1))
      await passing(0)
      expect(opened.now).toBe('refused')
      rows.mode = 'works'
      await passing(20_000)
      expect(rows.writes.flatMap(({ progress }) => progress)).toEqual([])
    })
  })

  describe('of what a crash left open', () => {
    it('closes it at the first contact, then every silentMs while it is used', async () => {
      const { rows, open, close } = kept({ heartbeatMs: 1_000, silentMs: 10_000 })
      expect(rows.sweeps).toEqual([])
      open('a')
      await passing(0)
      expect(rows.sweeps).toEqual([10_000])
      await passing(9_000)
      expect(rows.sweeps).toHaveLength(1)
      await passing(2_000)
      expect(rows.sweeps).toHaveLength(2)
      close('a')
      await passing(60_000)
      // One more for what came since, and then none.
      expect(rows.sweeps).toHaveLength(3)
      expect(vi.getTimerCount()).toBe(0)
    })

    it('closes nothing before the journal is written, nor soon after an outage', async () => {
      const journal = new ScriptedJournal()
      const { rows, open } = kept({ journal, silentMs: 20_000 })
      open('a')
      await passing(0)
      expect(rows.sweeps).toHaveLength(1)
      rows.mode = 'fails'
      open('b')
      await passing(30_000)
      expect(rows.sweeps).toHaveLength(1)
      rows.mode = 'works'
      await passing(15_000)
      expect(journal.empty).toBe(true)
      expect(rows.sweeps).toHaveLength(1)
      await passing(15_000)
      expect(rows.sweeps).toHaveLength(2)
    })

    it('never runs two at a time, tells of one that does not end, and of one that fails', async () => {
      const { rows, states, open } = kept({ heartbeatMs: 1_000, silentMs: 5_000 })
      const sweeping = vi.spyOn(rows, 'closeOrphans')
      let end: (count: number) => void = () => {}
      sweeping.mockImplementation(
        () =>
          new Promise(resolve => {
            end = resolve
          }),
      )
      open('a')
      await passing(11_000)
      expect(sweeping).toHaveBeenCalledTimes(1)
      expect(states()).toEqual(['failing'])
      end(0)
      await passing(0)
      expect(states()).toEqual(['failing', 'working'])
      sweeping.mockRejectedValue(rows.error)
      await passing(6_000)
      expect(states()).toEqual(['failing', 'working', 'failing'])
      sweeping.mockResolvedValue(0)
      await passing(6_000)
      expect(states()).toEqual(['failing', 'working', 'failing', 'working'])
    })

    it('that failed while the database went away is no fault any more when that is back', async () => {
      const { rows, states, open } = kept()
      vi.spyOn(rows, 'closeOrphans').mockRejectedValueOnce(rows.error)
      open('a')
      await passing(10)
      expect(states()).toEqual(['failing'])
      rows.mode = 'fails'
      open('b')
      await passing(10)
      rows.mode = 'works'
      await passing(1_000)
      expect(states()).toEqual(['failing', 'working'])
    })

    it('gives up one that does not end within 30 seconds, and tries again', async () => {
      const { rows, states, events, open, close } = kept()
      const sweeping = vi.spyOn(rows, 'closeOrphans')
      let fail: (error: Error) => void = () => {}
      sweeping.mockImplementation(
        () =>
          new Promise((_, reject) => {
            fail = reject
          }),
      )
      open('a')
      close('a')
      await passing(29_999)
      expect([sweeping.mock.calls.length, states()]).toEqual([1, []])
      await passing(1)
      expect(states()).toEqual(['failing'])
      expect(events[0]).toMatchObject({ error: { message: expect.stringContaining('30000') } })
      sweeping.mockResolvedValue(0)
      await passing(10_000)
      expect([sweeping.mock.calls.length, states()]).toEqual([2, ['failing', 'working']])
      // It is of no interest any more.
      fail(rows.error)
      await passing(60_000)
      expect(states()).toEqual(['failing', 'working'])
      expect(vi.getTimerCount()).toBe(0)
    })
  })

  describe('at its end', () => {
    it('flushes: resolves when all is written or in the journal', async () => {
      const { rows, ledger, open } = kept()
      rows.mode = 'hangs'
      open('a')
      const flushed = outcome(ledger.flush())
      await passing(100)
      expect(flushed.now).toBe('pending')
      rows.release()
      await passing(0)
      expect(flushed.now).toBe('kept')
      const journal = new ScriptedJournal()
      const other = kept({ journal })
      other.rows.mode = 'fails'
      other.open('a')
      await outcome(other.ledger.flush()).promise
      expect(journal.batches).toHaveLength(1)
    })

    it('flushes without waiting for the next attempt, and not for ever', async () => {
      const { rows, ledger, open } = kept()
      rows.mode = 'fails'
      open('a')
      await passing(8_000)
      rows.mode = 'works'
      await outcome(ledger.flush()).promise
      expect(rows.records.has('a')).toBe(true)
      rows.mode = 'hangs'
      open('b')
      const flushed = outcome(ledger.flush())
      await passing(5_000)
      expect(flushed.now).toBe('kept')
    })

    it('stops once, opens nothing more, leaves no timer, and says what could not be kept', async () => {
      const { rows, ledger, events, open, close } = kept()
      rows.mode = 'fails'
      open('a')
      const closed = close('b')
      await passing(0)
      const stopped = outcome(ledger.stop())
      expect(ledger.stop()).toBe(ledger.stop())
      const refused = open('c')
      await passing(4_999)
      expect([stopped.now, refused.now, closed.now]).toEqual(['pending', 'refused', 'pending'])
      await passing(1)
      expect([stopped.now, closed.now]).toEqual(['kept', 'refused'])
      expect(lossesOf(events)).toEqual([{ type: 'ledger_records_lost', records: 2, reason: 'closed' }])
      expect(vi.getTimerCount()).toBe(0)
      rows.writes.length = 0
      await passing(60_000)
      expect(rows.writes).toEqual([])
    })

    it('writes a closing that comes after it stopped, where it can be written', async () => {
      const { rows, ledger, events, open, close } = kept()
      open('a')
      await passing(0)
      await ledger.stop()
      const late = close('a')
      await passing(0)
      expect([late.now, rows.records.get('a')?.closing?.status]).toEqual(['kept', 200])
      rows.mode = 'fails'
      const lost = close('b')
      await passing(0)
      expect(lost.now).toBe('refused')
      expect(lossesOf(events)).toEqual([{ type: 'ledger_records_lost', records: 1, reason: 'closed' }])
      expect(vi.getTimerCount()).toBe(0)
    })
  })

  it.each<[string, unknown, unknown, RegExp]>([
    ['no rows', undefined, {}, /rows: expected an object with write and closeOrphans/],
    ['rows without closeOrphans', { write() {} }, {}, /rows/],
    ['no options', new ScriptedRows(), null, /the options: got null/],
    [
      'a journal that is none',
      new ScriptedRows(),
      { journal: {} },
      /journal: expected an object with append/,
    ],
    ['an observer that is none', new ScriptedRows(), { observe: 1 }, /observe: got 1/],
    ['no room', new ScriptedRows(), { maxPending: 0 }, /maxPending: got 0/],
    ['a span that is none', new ScriptedRows(), { timeoutMs: '1' }, /timeoutMs: got 1/],
    ['a span that no timer takes', new ScriptedRows(), { heartbeatMs: 3e9 }, /heartbeatMs: got 3000000000/],
    [
      'a silence as long as a beat',
      new ScriptedRows(),
      { silentMs: 9_000 },
      /at least twice heartbeatMs \(5000\)/,
    ],
  ])('refuses %s', (_, rows, options, message) => {
    expect(() => batchedLedger(rows as never, options as never)).toThrow(TypeError)
    expect(() => batchedLedger(rows as never, options as never)).toThrow(message)
  })

  it('takes no option that another library has added to every object', () => {
    Object.defineProperty(Object.prototype, 'maxPending', { value: 0, configurable: true })
    try {
      expect(() => batchedLedger(new ScriptedRows(), {})).not.toThrow()
    } finally {
      Reflect.deleteProperty(Object.prototype, 'maxPending')
    }
  })

  it('survives rows that throw, an observer that throws, and failures without an error', async () => {
    const rows = new ScriptedRows()
    rows.write = () => JSON.parse('{')
    const journal = new ScriptedJournal()
    journal.append = () => Promise.reject(undefined)
    const ledger = batchedLedger(rows, {
      journal,
      observe: () => {
        throw new Error('observe')
      },
    })
    Object.defineProperty(journal, 'empty', {
      get() {
        throw new Error('empty')
      },
    })
    const opened = outcome(ledger.open(entryOf('a'), nothing))
    await passing(1_000)
    expect(opened.now).toBe('refused')
    await ledger.stop()
  })
})
