import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LedgerEntry } from '@sluice/core/ledger'
import { findClosedPort } from '@sluice/testing'
import { describe, expect, it, vi } from 'vitest'
import { CommandError } from '../command.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { openState } from './open-state.ts'

const entry: LedgerEntry = {
  id: '01930000-0000-7000-8000-000000000001',
  requestId: 'req_1',
  operation: 'generate',
  dialect: 'chat',
  principal: 'ann',
  tags: {},
  model: 'm',
  stream: false,
  openedAt: 1_700_000_000_000,
  estimate: { promptTokens: 1, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0, cost: null },
}

function context(cwd = temporaryFolder()) {
  const told: string[] = []
  return { cwd, told, log: (text: string) => void told.push(text) }
}

describe('openState', () => {
  it('has nothing but memory where nothing is configured', async () => {
    const state = await openState(undefined, context())
    expect(state).toMatchObject({ database: undefined, limitStore: undefined, health: undefined })
    const key = { owner: 'ann', name: 'a' }
    await state.cacheStore.set(key, 'b', { ttlMs: 1_000 })
    expect(await state.cacheStore.get(key)).toBe('b')
    await state.close()
    await state.close()
  })

  it('makes a file where paths begin, and keeps keys under the pepper', async () => {
    const { cwd, ...rest } = context()
    const open = (pepper: string) => openState({ database: 'file:./with space.db', pepper }, { cwd, ...rest })
    const first = await open('one')
    const { key } = await first.database!.keys.issue({ name: 'a key' })
    await first.close()
    expect(existsSync(join(cwd, 'with space.db'))).toBe(true)
    for (const [pepper, found] of [
      ['one', true],
      ['two', false],
    ] as const) {
      const state = await open(pepper)
      const [digest = ''] = state.database!.keys.digests(key)
      expect((await state.database!.keys.find(digest)) !== undefined).toBe(found)
      await state.close()
    }
  })

  it('makes no file where none is wanted', async () => {
    const { cwd, ...rest } = context()
    const state = await openState({ database: 'file:./none.db' }, { cwd, ...rest }, { create: false })
    expect(state.database).toBeUndefined()
    expect(existsSync(join(cwd, 'none.db'))).toBe(false)
    await state.close()
  })

  it('says how a file that is none can be mended', async () => {
    const { cwd, ...rest } = context()
    writeFileSync(join(cwd, 'bad.db'), 'this is no database, but long enough to look like one '.repeat(50))
    const opening = openState({ database: 'file:./bad.db' }, { cwd, ...rest })
    await expect(opening).rejects.toThrow(CommandError)
    await expect(opening).rejects.toThrow(/^state\.database: .*is not an SQLite database/)
  })

  it('starts without its servers, tells of them once and without a password, and lets them go', async () => {
    const port = await findClosedPort()
    const { told, ...rest } = context()
    const state = await openState(
      {
        redis: `redis://me:hunter2@127.0.0.1:${port}`,
        database: `postgres://me:hunter2@127.0.0.1:${port}/sluice`,
      },
      rest,
    )
    await vi.waitFor(() => expect(told).toContain('Cannot reach Redis (ECONNREFUSED). Retrying.'), 5_000)
    expect(told.join()).not.toContain('hunter2')
    expect(told.filter(text => text.includes('Redis'))).toHaveLength(1)
    await state.close()
  })

  it('keeps records in the journal while PostgreSQL is unavailable, for a service only', async () => {
    const database = `postgres://127.0.0.1:${await findClosedPort()}/sluice`
    const { cwd, ...rest } = context()
    const journal = join(cwd, 'records')
    const other = await openState({ database, journal: './records' }, { cwd, ...rest }, { only: 'database' })
    await other.close()
    expect(existsSync(journal)).toBe(false)

    const state = await openState({ database, journal: './records' }, { cwd, ...rest }, { journal: true })
    await state.database!.ledger.open(entry, () => undefined)
    await state.close()
    expect(readdirSync(journal).length).toBeGreaterThan(0)
  })

  it('says that the folder of a journal cannot be written', async () => {
    const { cwd, ...rest } = context()
    writeFileSync(join(cwd, 'file'), '')
    const state = { database: 'postgres://127.0.0.1:1/sluice', journal: './file/records' }
    const opening = openState(state, { cwd, ...rest }, { journal: true })
    await expect(opening).rejects.toThrow(CommandError)
    await expect(opening).rejects.toThrow(/^state\.journal: /)
  })

  it.each([
    ['redis', 'redis://:hunter2@host:99999'],
    ['redis', 'redis://me:hunter2%zz@host'],
    ['database', 'postgres://me:hunter2@host:99999/sluice'],
    ['database', 'postgres://me:hunter2@host/sluice?sslmode=verify-full&sslrootcert=/nowhere.pem'],
  ] as const)(
    'says of a URL that is none, without its password, that it is none: %s %s',
    async (name, url) => {
      const { told, ...rest } = context()
      const failure = await openState({ [name]: url }, rest).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(CommandError)
      expect((failure as Error).message).toMatch(new RegExp(`^state\\.${name} is not a valid URL`))
      expect((failure as Error).message).not.toContain('hunter2')
      expect(told).toEqual([])
    },
  )

  it('leaves no database open where Redis cannot be had', async () => {
    const { cwd, ...rest } = context()
    const database = 'file:./kept.db'
    await expect(openState({ redis: 'redis://h:99999', database }, { cwd, ...rest })).rejects.toThrow(
      CommandError,
    )
    // What closes it brings its log into the file, and may remove it.
    expect(statSync(join(cwd, 'kept.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0)
  })

  it('leaves Redis out for who needs keys and records only', async () => {
    const state = await openState({ redis: 'redis://127.0.0.1:1' }, context(), { only: 'database' })
    expect(state.limitStore).toBeUndefined()
    await state.close()
  })
})
