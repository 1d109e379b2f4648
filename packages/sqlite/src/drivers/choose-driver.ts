import type { OpenDriver } from './driver.ts'
import { type LibsqlModule, libsqlDriver } from './libsql-driver.ts'
import { nodeDriver, nodeSqlite } from './node-driver.ts'

/** There is no library for SQLite. The message says how to get one. */
export class NoDriverError extends Error {}

const install =
  'Use Node.js 22.13 or newer, or install the package @libsql/client: npm install @libsql/client'

/**
 * Returns the library that opens files: the given one, else `node:sqlite`, else `@libsql/client`. Rejects with
 * `NoDriverError` where there is none.
 */
export async function chooseDriver(given?: 'node' | LibsqlModule): Promise<OpenDriver> {
  if (given !== undefined && given !== 'node') return libsqlDriver(given)
  const own = nodeSqlite()
  if (own !== undefined) return nodeDriver(own)
  if (given === 'node') throw new NoDriverError(`this runtime has no node:sqlite. ${install}`)
  try {
    return libsqlDriver(await import('@libsql/client/sqlite3'))
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new NoDriverError(`this runtime has no node:sqlite. ${install}`, { cause: error })
  }
}

/** Whether this runtime opens SQLite files without a package. */
export function hasNodeSqlite(): boolean {
  return nodeSqlite() !== undefined
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}
