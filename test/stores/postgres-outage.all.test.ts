import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayEvent } from '@sluice/core'
import type { Database } from '@sluice/core/store'
import { fileJournal, openPostgres, type PostgresOptions } from '@sluice/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { charge, closing, entry } from '../../packages/testing/src/conformance/ledger/records.ts'
import { startTask } from './programs/postgres-tasks.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { PostgresServer } from './servers/postgres-server.ts'

describeWithPostgres('F74 a ledger while PostgreSQL is away', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.dispose())

  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'sluice-journal-'))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return path
  }

  /** A fresh database with a journal; what the ledger told; and the journal's directory. */
  async function made(options: PostgresOptions = {}) {
    const name = await server.database()
    const journal = folder()
    const told: string[] = []
    const observe = (event: GatewayEvent) => {
      if (event.type === 'store') told.push(`${event.store} ${event.state}`)
    }
    const database = await openPostgres(server.pool(name), { migrate: true, journal, observe, ...options })
    onTestFinished(() => database.close())
    return { database, name, journal, told }
  }

  const totals = async ({ usage }: Database) => (await usage({ by: [] }))[0]
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 40_000, interval: 50 })

  /** Keeps so many requests open and closed at a time, until told to stop; gives how many there were. */
  function traffic({ ledger }: Database, lanes: number) {
    let over = false
    let refused = 0
    let requests = 0
    let slowest = 0
    const lane = async () => {
      while (!over) {
        const opened = entry({ id: randomUUID() })
        const at = performance.now()
        try {
          await ledger.open(opened, () => charge(1))
        } catch {
          refused++
          continue
        }
        slowest = Math.max(slowest, performance.now() - at)
        requests++
        await sleep(5)
        void ledger.close(closing(opened))
      }
    }
    const running = Promise.all(Array.from({ length: lanes }, lane))
    return async () => {
      over = true
      await running
      return { requests, refused, slowest }
    }
  }

  it('goes on by the journal when it is stopped and killed under load, and has each record once', async () => {
    const { database, journal, told } = await made()
    const end = traffic(database, 20)
    await sleep(300)
    await server.stop()
    await sleep(700)
    expect(readdirSync(journal)).not.toEqual([])
    await server.restart()
    await eventually(async () => expect(told).toEqual(['ledger failing', 'ledger working']))
    await sleep(300)
    await server.kill()
    await sleep(300)
    await server.restart()
    await eventually(async () => expect(told).toHaveLength(4))
    const { requests, refused } = await end()
    await database.ledger.flush?.()
    await eventually(async () => expect(readdirSync(journal)).toEqual([]))
    expect(refused).toBe(0)
    expect(requests).toBeGreaterThan(500)
    await eventually(async () =>
      expect(await totals(database)).toMatchObject({
        requests,
        promptTokens: 10 * requests,
        cost: (10 * requests) / 1_000,
        open: 0,
        estimated: 0,
      }),
    )
  })

  it('waits 250 milliseconds for one that says nothing, then not at all, and has each record once', async () => {
    const { database, journal, told } = await made()
    const opened = Array.from({ length: 40 }, () => entry({ id: randomUUID() }))
    await database.ledger.open(entry({ id: randomUUID() }), () => charge(1))
    server.freeze()
    onTestFinished(() => server.thaw())
    const waits: number[] = []
    for (const each of opened) {
      const at = performance.now()
      await database.ledger.open(each, () => charge(1))
      waits.push(performance.now() - at)
    }
    const [first = 0, ...others] = waits
    expect(first).toBeGreaterThan(240)
    expect(first).toBeLessThan(1_500)
    expect(others.toSorted((a, b) => a - b)[Math.floor(others.length / 2)]).toBeLessThan(100)
    for (const each of opened) await database.ledger.close(closing(each))
    server.thaw()
    await eventually(async () => expect(told).toEqual(['ledger failing', 'ledger working']))
    await eventually(async () => expect(readdirSync(journal)).toEqual([]))
    await eventually(async () =>
      expect(await totals(database)).toMatchObject({ requests: 41, open: 1, promptTokens: 400 }),
    )
  })

  it('refuses what the journal has no room for, and takes it again when the database is back', async () => {
    const path = folder()
    const { database } = await made({ journal: fileJournal(path, { maxBytes: 5_000 }) })
    await server.stop()
    const kept = []
    const full = async () => {
      for (;;) {
        const opened = entry({ id: randomUUID() })
        await database.ledger.open(opened, () => charge(1))
        kept.push(opened)
      }
    }
    await expect(full()).rejects.toThrow('The journal is full')
    expect(kept.length).toBeGreaterThan(3)
    await server.restart()
    await eventually(
      () => database.ledger.open(entry({ id: randomUUID() }), () => charge(1)) as Promise<void>,
    )
    await eventually(async () => expect(readdirSync(path)).toEqual([]))
    // None of those that were refused is there, and the one that was taken may have been tried several times.
    await eventually(async () => expect((await totals(database))?.requests).toBe(kept.length + 1))
  })

  it('has what a process kept that died meanwhile, when the next one starts before the database', async () => {
    const { database, name, journal } = await made({ journal: folder() })
    const child = await startTask({ what: 'open', url: server.url(name), principal: 'died', journal })
    await vi.waitFor(() => expect(child.told.length).toBeGreaterThan(5), 40_000)
    await server.stop()
    const before = child.told.length
    await vi.waitFor(() => expect(child.told.length).toBeGreaterThan(before + 20), 40_000)
    child.process.kill('SIGKILL')
    await child.ended
    expect(readdirSync(journal)).not.toEqual([])
    const next = await openPostgres(server.pool(name), { journal })
    onTestFinished(() => next.close())
    await server.restart()
    await eventually(async () => expect(readdirSync(journal)).toEqual([]))
    const records = await server.run('select id from sluice.requests where closed_at is null', name)
    const found = new Set(records.map(({ id }) => id))
    expect(child.told.filter(id => !found.has(id))).toEqual([])
    // One more may have been kept in the moment of its death.
    expect(found.size).toBeLessThanOrEqual(child.told.length + 1)
    expect(await totals(database)).toMatchObject({ requests: found.size, open: found.size })
  })
})
