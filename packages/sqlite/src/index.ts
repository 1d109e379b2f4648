export { SqliteError } from './location.ts'
export type { SqliteLocation, SqliteOptions } from './open-sqlite.ts'
export { openSqlite } from './open-sqlite.ts'
export { sqliteResponseStore } from './response-store.ts'
