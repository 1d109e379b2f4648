import { createHash } from 'node:crypto'
import { configurationError } from '@sluice/core/adapter'
import {
  type Database,
  escapeNul,
  type ResponseStore,
  type ResponseStoreOptions,
  responseBounds,
  type StoredResponse,
  unescapeNul,
} from '@sluice/core/store'
import { connectionOf, type DatabaseConnection } from './open-postgres.ts'
import type { Queries } from './queries.ts'
import { deletedAtOnce, responseStatements } from './response-statements.ts'
import { integerColumn, textColumn } from './row-values.ts'
import { isUnwritable } from './store-error.ts'

/** How often expired responses are deleted, in milliseconds. */
const cleanupMs = 600_000

/**
 * Creates a response store in PostgreSQL, for the option `responses` of a gateway. All processes that use the database share it.
 * For a principal at its maximum, the response that was not read for the longest time is evicted. A response larger than
 * `maxBytesPerOwner` is not stored. Expired responses are deleted every ten minutes until the database is closed.
 *
 * @param database - what `openPostgres` returned.
 *
 * Throws `ConfigurationError` for another database, and for invalid options.
 */
export function postgresResponseStore(database: Database, options: ResponseStoreOptions = {}): ResponseStore {
  const connection = connectionOf(database)
  if (connection === undefined) {
    const expected = 'the database that openPostgres() returned'
    throw configurationError('postgresResponseStore()', [], database, expected)
  }
  const bounds = responseBounds('postgresResponseStore()', options)
  const { ttlMs, renewMs, maxResponsesPerOwner, maxBytesPerOwner } = bounds
  const { queries } = connection
  const statements = responseStatements(queries.schema)
  const maximums = [ttlMs, maxResponsesPerOwner, maxBytesPerOwner].map(String)
  const lives = [ttlMs - renewMs, ttlMs].map(String)
  cleanUp(connection, statements.removeExpired)
  const read = async (
    renewing: string,
    readOnly: string,
    owner: string,
    id: string,
  ): Promise<string | undefined> => {
    const key = keyOf(owner, id)
    const rows = await queries.run(renewing, [...key, ...lives]).catch((error: unknown) => {
      if (isUnwritable(error)) return queries.run(readOnly, key)
      throw error
    })
    return rows.map(row => unescapeNul(textColumn(row, 'text')))[0]
  }
  return {
    async put({ owner, id, itemIds, text }: StoredResponse): Promise<boolean> {
      const key = keyOf(owner, id)
      if (Buffer.byteLength(text) > maxBytesPerOwner) {
        await queries.run(statements.removeAny, key)
        return false
      }
      const items = JSON.stringify(itemIds.map(escapeNul))
      const params = [...key, escapeNul(text), items, ...maximums]
      // Storing it again evicts what is left to evict.
      while ((await count(queries, statements.put, params)) === deletedAtOnce);
      return true
    },
    get: (owner, id) => read(statements.get, statements.getOnly, owner, id),
    findItem: (owner, itemId) => read(statements.findItem, statements.findItemOnly, owner, itemId),
    delete: async (owner, id) => (await count(queries, statements.remove, keyOf(owner, id))) === 1,
    deleteOwner: owner => count(queries, statements.removeOwner, [digestOf(owner)]),
  }
}

function keyOf(owner: string, id: string): string[] {
  return [digestOf(owner), escapeNul(id)]
}

/** Of a fixed length, and without characters that a database cannot store. */
function digestOf(owner: string): string {
  return createHash('sha256').update(owner, 'utf16le').digest('base64url')
}

async function count(queries: Queries, statement: string, params: string[]): Promise<number> {
  const [row] = await queries.run(statement, params)
  return integerColumn(row, 'count')
}

/** Deletes what has expired, now and every ten minutes. Ignores failures: the next time deletes it. */
function cleanUp({ queries, isClosed }: DatabaseConnection, statement: string): void {
  const clean = async () => {
    while ((await count(queries, statement, [])) === deletedAtOnce);
  }
  const timer = setInterval(() => {
    if (isClosed()) clearInterval(timer)
    else void clean().catch(() => {})
  }, cleanupMs)
  timer.unref()
  void clean().catch(() => {})
}
