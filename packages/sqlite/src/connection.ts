import { setTimeout as sleep } from 'node:timers/promises'
import { chooseDriver } from './drivers/choose-driver.ts'
import type { OpenDriver, SqliteDriver, SqlRow, SqlStatement, SqlValue } from './drivers/driver.ts'
import { parseLocation } from './location.ts'

/** How long to retry while another process holds the file, in milliseconds. */
const patienceMs = 5_000
const shortestPauseMs = 5
const longestPauseMs = 250

/**
 * One connection to a file or to memory. Statements run one after the other and block the event loop: keep them small.
 */
export class Connection {
  readonly #open: () => SqliteDriver
  #client: SqliteDriver | undefined
  #closed = false
  /** Settles after the last write. */
  #writes: Promise<unknown> = Promise.resolve()
  #waiting = 0
  /** Whether the last write found the file held by another process. */
  #isHeld = false

  private constructor(open: () => SqliteDriver) {
    this.#open = open
  }

  /** Rejects with SQLite's error if the database is missing or invalid, and with `NoDriverError` without a library for it. */
  static async open(url: string, given?: OpenDriver): Promise<Connection> {
    const location = parseLocation('Connection.open()', url)
    const driver = given ?? (await chooseDriver())
    const connection = new Connection(() => driver(location))
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
  read(sql: string, args: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    return this.#patiently(performance.now() + patienceMs, client => client.read(sql, args))
  }

  /** Runs all statements in one transaction. Resolves to the number of rows that each changed. */
  write(statements: readonly SqlStatement[]): Promise<readonly number[]> {
    const until = performance.now() + patienceMs
    // While the file is held, one write retries and the others queue: each attempt blocks the event loop.
    const written = this.#writes.then(() => {
      if (this.#isHeld && performance.now() >= until) throw busyError()
      return this.#patiently(until, async client => {
        const changed = await client.write(statements)
        this.#isHeld = false
        return changed
      })
    })
    this.#writes = written.catch(() => {})
    return written
  }

  /** `write` without a retry: rejects with `SQLITE_BUSY` if another process holds the file. */
  async writeNow(statements: readonly SqlStatement[]): Promise<readonly number[]> {
    if (this.#waiting > 0) throw busyError()
    const client = this.#opened()
    try {
      return await client.write(statements)
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

  async #patiently<T>(until: number, work: (client: SqliteDriver) => Promise<T>): Promise<T> {
    for (let pause = shortestPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      const client = this.#opened()
      try {
        return await work(client)
      } catch (error) {
        if (isBusy(error)) {
          this.#isHeld = true
          this.#drop(client)
        } else if (this.#client === client || !isClosed(error)) throw error
      }
      if (performance.now() >= until) throw busyError()
      this.#waiting += 1
      // Jitter: processes that wait do not retry at the same moment.
      await sleep(pause * (0.5 + Math.random() / 2))
      this.#waiting -= 1
    }
  }

  #opened(): SqliteDriver {
    if (this.#closed) throw new Error('The database is closed.')
    this.#client ??= this.#open()
    return this.#client
  }

  /**
   * After a statement that found the file held, the driver's connection commits nothing any more until that statement
   * is garbage-collected ("SQL statements in progress"). The next one to come opens another. Whoever is waiting for
   * this one has done nothing yet, and comes again.
   */
  #drop(client: SqliteDriver): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.close()
  }
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
