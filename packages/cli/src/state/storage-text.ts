/** Where the keys and the usage of a service are stored. */
interface Storage {
  /** The URL of the database; `undefined` for none. */
  readonly database: string | undefined
  /** What opens SQLite files; `undefined` where nothing can. */
  readonly library: string | undefined
  /** The file that `sluice dev` makes: its name for people, and its URL. */
  readonly devFile?: { readonly name: string; readonly url: string }
}

/** Describes it in a line, without a host or a password. */
export function storageText({ database, library, devFile }: Storage): string {
  if (database === undefined) {
    const to =
      devFile === undefined
        ? 'To store them, set state.database'
        : `To use ${devFile.name}: Node.js 22.13 or newer, or npm install @libsql/client`
    return `memory (usage is not stored, keys cannot be issued). ${to}`
  }
  if (database === ':memory:') return `memory (keys and usage are lost when it stops, by ${library})`
  const isFile = /^file:/i.test(database)
  const name = database === devFile?.url ? devFile.name : database.slice('file:'.length)
  return isFile ? `${name} (keys and usage, by ${library})` : 'PostgreSQL (keys and usage, by pg)'
}
