export type { SqliteLocation, SqliteOptions } from './open-sqlite.ts'
export { openSqlite } from './open-sqlite.ts'
