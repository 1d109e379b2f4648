import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, type InStatement, type InValue, type Row } from '@libsql/client/sqlite3'

/** SQLite's own busy timeout, in milliseconds. It blocks the event loop, so it is short. */
const blockingMs = 20
/** How long to retry while another process holds the file, in milliseconds. */
const patienceMs = 5_000
const shortestPauseMs = 5
const longestPauseMs = 250

/**
 * One connection to a file or to memory. Statements run one after the other and block the event loop: keep them small.
 */
export class Connection {
  readonly #url: string
  #client: Client | undefined
  #closed = false
  /** Settles after the last write. */
  #writes: Promise<unknown> = Promise.resolve()
  #waiting = 0

  private constructor(url: string) {
    this.#url = url
  }

  /** Rejects with SQLite's error if the database is missing or invalid. */
  static async open(url: string): Promise<Connection> {
    const connection = new Connection(url)
    try {
      await connection.read('SELECT count(*) FROM sqlite_schema')
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** Sets the write-ahead log, which the file keeps: readers and writers do not wait for each other. */
  async useWriteAheadLog(): Promise<void> {
    await this.read('PRAGMA journal_mode = WAL')
  }

  /** Returns the rows of one statement that changes no table. */
  read(sql: string, args: InValue[] = []): Promise<readonly Row[]> {
    return this.#patiently(
      performance.now() + patienceMs,
      async client => (await client.execute({ sql, args })).rows,
    )
  }

  /** Runs all statements in one transaction. Resolves to the number of rows that each changed. */
  write(statements: readonly InStatement[]): Promise<readonly number[]> {
    const until = performance.now() + patienceMs
    // While the file is held, one write retries and the others queue.
    const written = this.#writes.then(() => this.#patiently(until, client => writeBatch(client, statements)))
    this.#writes = written.catch(() => {})
    return written
  }

  /** `write` without a retry: rejects with `SQLITE_BUSY` if another process holds the file. */
  async writeNow(statements: readonly InStatement[]): Promise<readonly number[]> {
    if (this.#waiting > 0) throw busyError()
    const client = this.#opened()
    try {
      return await writeBatch(client, statements)
    } catch (error) {
      if (isBusy(error)) this.#drop(client)
      throw error
    }
  }

  /** Moves the write-ahead log into the file, so that a copy of the file is complete. Other connections can prevent it. */
  async checkpoint(): Promise<void> {
    await this.read('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Closes the connection; running statements fail. Can be called twice. */
  close(): void {
    this.#closed = true
    this.#client?.close()
    this.#client = undefined
  }

  async #patiently<T>(until: number, work: (client: Client) => Promise<T>): Promise<T> {
    for (let pause = shortestPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      if (performance.now() >= until) throw busyError()
      const client = this.#opened()
      try {
        return await work(client)
      } catch (error) {
        if (isBusy(error)) this.#drop(client)
        else if (this.#client === client || !isClosed(error)) throw error
      }
      this.#waiting += 1
      // Jitter: processes that wait do not retry at the same moment.
      await sleep(pause * (0.5 + Math.random() / 2))
      this.#waiting -= 1
    }
  }

  #opened(): Client {
    if (this.#closed) throw new Error('The database is closed.')
    this.#client ??= openClient(this.#url)
    return this.#client
  }

  /**
   * After a statement that found the file held, the driver's connection commits nothing any more until that statement
   * is garbage-collected ("SQL statements in progress"). The next one to come opens another. Whoever is waiting for
   * this one has done nothing yet, and comes again.
   */
  #drop(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.close()
  }
}

function openClient(url: string): Client {
  // A second connection would have settings of its own; and to memory, data of its own.
  const client = createClient({ url, concurrency: 1, timeout: blockingMs })
  // With a write-ahead log, what is written is with the operating system at once, and on the disk at the next
  // checkpoint: it outlives the process, and not all of it a power failure. If it cannot be set, all is only slower.
  client.execute('PRAGMA synchronous = NORMAL').catch(() => {})
  return client
}

async function writeBatch(client: Client, statements: readonly InStatement[]): Promise<readonly number[]> {
  const results = await client.batch([...statements], 'write')
  return results.map(({ rowsAffected }) => rowsAffected)
}

function busyError(): Error {
  const held = new Error('Another process holds the database.')
  return Object.assign(held, { code: 'SQLITE_BUSY' })
}

function isBusy(error: unknown): boolean {
  return errorCode(error) === 'SQLITE_BUSY'
}

function isClosed(error: unknown): boolean {
  return errorCode(error) === 'CLIENT_CLOSED'
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
