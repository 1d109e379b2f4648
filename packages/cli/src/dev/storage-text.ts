import { devDatabaseFile } from './dev-database.ts'

/** Where the keys and the usage of a service are stored. */
interface Storage {
  /** The URL of the database; `undefined` for none. */
  readonly database: string | undefined
  /** The URL of the file that `sluice dev` makes. */
  readonly devUrl: string
  /** What opens SQLite files; `undefined` where nothing can. */
  readonly library: string | undefined
}

/** Describes it in a line, without a host or a password. */
export function storageText({ database, devUrl, library }: Storage): string {
  if (database === undefined) {
    return `memory (usage is not stored, keys cannot be issued). To use ${devDatabaseFile}: Node.js 22.13 or newer, or npm install @libsql/client`
  }
  if (database === ':memory:') return 'memory (keys and usage are lost when it stops)'
  const isFile = /^file:/i.test(database)
  const name = database === devUrl ? devDatabaseFile : database.slice('file:'.length)
  return isFile ? `${name} (keys and usage, by ${library})` : 'PostgreSQL (keys and usage)'
}
