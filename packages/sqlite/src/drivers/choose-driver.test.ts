import * as libsql from '@libsql/client/sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSqlite } from '../open-sqlite.ts'
import { temporaryFile } from '../temporary-file.ts'
import { hasNodeSqlite } from './choose-driver.ts'

/** A runtime without `node:sqlite`, as Node 20 is. */
function withoutNodeSqlite() {
  const original = process.getBuiltinModule
  const spy = vi.spyOn(process, 'getBuiltinModule')
  spy.mockImplementation(name => (name === 'node:sqlite' ? undefined : original(name as never)) as never)
  onTestFinished(() => spy.mockRestore())
}

describe('the library that opens files', () => {
  it('is the one of the options', async () => {
    const { url, remove } = await temporaryFile()
    onTestFinished(remove)
    const createClient = vi.fn(libsql.createClient)
    const database = await openSqlite({ url }, { driver: { createClient } })
    expect(createClient).toHaveBeenCalled()
    await database.close()
  })

  it('is @libsql/client where the runtime has none', async () => {
    withoutNodeSqlite()
    const { url, remove } = await temporaryFile()
    onTestFinished(remove)
    expect(hasNodeSqlite()).toBe(false)
    await (await openSqlite({ url })).close()
    await expect(openSqlite({ url }, { driver: 'node' })).rejects.toThrow(
      `openSqlite(): ${url} cannot be opened: this runtime has no node:sqlite. Use Node.js 22.13 or newer, or install the package @libsql/client: npm install @libsql/client`,
    )
  })

  it('is refused where it is something else', async () => {
    await expect(openSqlite({ url: ':memory:' }, { driver: 'better-sqlite3' as never })).rejects.toThrow(
      /driver/,
    )
  })

  it('leaves files that the other one reads', async () => {
    const { url, remove } = await temporaryFile()
    onTestFinished(remove)
    const first = await openSqlite({ url }, { driver: libsql })
    const { stored } = await first.keys.issue({ name: 'Ann' })
    await first.close()
    const second = await openSqlite({ url })
    onTestFinished(() => second.close())
    expect(await second.keys.list()).toEqual([stored])
  })
})
