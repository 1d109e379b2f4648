import * as libsql from '@libsql/client/sqlite3'
import { chooseDriver, hasNodeSqlite } from './drivers/choose-driver.ts'
import type { SqlRow } from './drivers/driver.ts'
import { parseLocation } from './location.ts'

/** A library that a test opens files with. */
type Library = 'node' | typeof libsql

/** A second connection of a test to a file. */
interface OtherConnection {
  rows(sql: string): Promise<readonly SqlRow[]>
  /** Begins a transaction that writes. Resolves to what rolls it back. */
  hold(): Promise<() => Promise<void>>
  close(): void
}

/**
 * Opens a file a second time. It has to be by the same library: two libraries in one process do not see each other's locks.
 * Default: the one that `openSqlite()` uses by default.
 */
export async function otherConnection(
  url: string,
  library: Library = hasNodeSqlite() ? 'node' : libsql,
): Promise<OtherConnection> {
  if (library === 'node') {
    const other = (await chooseDriver('node'))(parseLocation('otherConnection()', url))
    return {
      close: () => other.close(),
      rows: sql => other.read(sql, []),
      hold: async () => {
        await other.read('BEGIN IMMEDIATE', [])
        return async () => void (await other.read('ROLLBACK', []))
      },
    }
  }
  const other = libsql.createClient({ url })
  return {
    close: () => other.close(),
    rows: async sql => (await other.execute(sql)).rows,
    hold: async () => {
      const transaction = await other.transaction('write')
      return () => transaction.rollback()
    },
  }
}
