import { writeFileSync } from 'node:fs'
import * as libsql from '@libsql/client/sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Connection } from './connection.ts'
import { chooseDriver, hasNodeSqlite } from './drivers/choose-driver.ts'
import { otherConnection } from './other-connection.ts'
import { temporaryFile } from './temporary-file.ts'

interface Pair {
  readonly connection: Connection
  /** Somebody else, who has the same file open. */
  readonly other: Awaited<ReturnType<typeof otherConnection>>
}

const libraries = [
  { name: '@libsql/client', library: libsql },
  ...(hasNodeSqlite() ? [{ name: 'node:sqlite', library: 'node' as const }] : []),
]

describe.each(libraries)('Connection by $name', ({ library }) => {
  async function pair(): Promise<Pair> {
    const driver = await chooseDriver(library)
    const { url, remove } = await temporaryFile()
    onTestFinished(remove)
    const connection = await Connection.open(url, driver)
    onTestFinished(() => connection.close())
    await connection.useWriteAheadLog()
    await connection.write(['CREATE TABLE t (x UNIQUE)'])
    const other = await otherConnection(url, library)
    onTestFinished(() => other.close())
    return { connection, other }
  }

  const insert = (x: number) => ({ sql: 'INSERT INTO t VALUES (?)', args: [x] })

  it('waits for another process that writes, and lets others have their turn meanwhile', async () => {
    const { connection, other } = await pair()
    const release = await other.hold()
    let written = 0
    const writes = Array.from({ length: 20 }, (_, x) =>
      connection.write([insert(x)]).then(() => {
        written += 1
      }),
    )
    for (const write of writes) write.catch(() => {})
    expect(await connection.read('SELECT x FROM t')).toHaveLength(0)
    const started = performance.now()
    for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setTimeout(resolve, 5))
    // A connection that waits inside SQLite holds everything up until it gives up, after five seconds.
    expect(performance.now() - started).toBeLessThan(3_000)
    expect(written).toBe(0)
    await release()
    await Promise.all(writes)
    expect(await connection.read('SELECT x FROM t')).toHaveLength(20)
  })

  it('writes again after it was refused, with the same settings', async () => {
    const { connection, other } = await pair()
    const release = await other.hold()
    await expect(connection.writeNow([insert(1)])).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
    await release()
    expect(await connection.writeNow([insert(1)])).toEqual([1])
    expect(await connection.read('PRAGMA synchronous')).toMatchObject([{ synchronous: 1 }])
  })

  it('writes all or nothing, and goes on after what failed', async () => {
    const { connection } = await pair()
    await expect(connection.write([insert(1), insert(1)])).rejects.toMatchObject({
      code: 'SQLITE_CONSTRAINT',
    })
    expect(await connection.read('SELECT x FROM t')).toHaveLength(0)
    await connection.write([insert(1), insert(2)])
    expect(await connection.read('SELECT x FROM t')).toHaveLength(2)
  })

  it('says that the disk is full, and goes on when there is room', async () => {
    const { connection } = await pair()
    const [pages] = await connection.read('PRAGMA page_count')
    await connection.read(`PRAGMA max_page_count = ${Number(pages?.page_count)}`)
    const large = { sql: 'INSERT INTO t VALUES (?)', args: ['x'.repeat(100_000)] }
    await expect(connection.write([large])).rejects.toMatchObject({ code: 'SQLITE_FULL' })
    await connection.read('PRAGMA max_page_count = 1000000')
    await connection.write([large])
    expect(await connection.read('SELECT x FROM t')).toHaveLength(1)
  })

  it('ends what waits when it is closed', async () => {
    const { connection, other } = await pair()
    const release = await other.hold()
    const waiting = [connection.write([insert(1)]), connection.write([insert(2)])]
    for (const each of waiting) each.catch(() => {})
    await new Promise(resolve => setTimeout(resolve, 50))
    connection.close()
    connection.close()
    for (const each of waiting) await expect(each).rejects.toThrow('The database is closed.')
    await expect(connection.read('SELECT 1')).rejects.toThrow('The database is closed.')
    await expect(connection.writeNow([insert(1)])).rejects.toThrow('The database is closed.')
    await release()
    expect(await other.rows('SELECT x FROM t')).toHaveLength(0)
  })

  it('takes and returns each kind of value', async () => {
    const { connection } = await pair()
    const values = [null, 'ä', 1.5, -3, true, false, 2n ** 40n, Number.MAX_SAFE_INTEGER]
    const types = values.map((_, index) => `typeof(?${index + 1}) AS t${index}, ?${index + 1} AS v${index}`)
    const [row = {}] = await connection.read(`SELECT ${types.join(', ')}`, values)
    expect(values.map((_, index) => row[`v${index}`])).toEqual([
      ...[null, 'ä', 1.5, -3, 1, 0, 2 ** 40, Number.MAX_SAFE_INTEGER],
    ])
    await connection.write([
      { sql: 'INSERT INTO t VALUES (?)', args: [5] },
      { sql: 'INSERT INTO t SELECT 7 LIMIT ?', args: [1] },
    ])
    expect(await connection.read('SELECT x FROM t ORDER BY x')).toMatchObject([{ x: 5 }, { x: 7 }])
  })

  it('has the result of SQLite as the code of its error', async () => {
    const { url, path, remove } = await temporaryFile()
    onTestFinished(remove)
    writeFileSync(path, 'x'.repeat(4_096))
    const driver = await chooseDriver(library)
    await expect(Connection.open(url, driver)).rejects.toMatchObject({ code: 'SQLITE_NOTADB' })
  })

  it('writes what has waited long for writes before it, where nobody holds the file', async () => {
    const { connection } = await pair()
    const now = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => now.mockRestore())
    const writes = [1, 2, 3].map(x => connection.write([insert(x)]))
    now.mockReturnValue(60_000)
    expect(await Promise.all(writes)).toEqual([[1], [1], [1]])
  })

  it('gives up on a file that is held for too long', async () => {
    const { connection, other } = await pair()
    await other.hold()
    const started = performance.now()
    const writes = await Promise.allSettled([1, 2, 3].map(x => connection.write([insert(x)])))
    expect(writes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(performance.now() - started).toBeLessThan(7_000)
  })
})
