import {
  ConfigurationError,
  type EndEvent,
  type Observer,
  type PrincipalId,
  type StoreEvent,
} from '@sluice/core'
import { type ConfigurationIssue, configurationIssue, hiddenIssue, unknownOption } from '@sluice/core/adapter'
import type {
  LoggedRequest,
  RequestLogPosition,
  RequestLogRepository,
  RequestLogSearch,
} from '@sluice/core/store'
import { BatchWriter, type RequestLogLoss, type RequestLogStats } from './batch-writer.ts'
import { exportHead, exportRows, type RequestLogFormat } from './export-rows.ts'
import { systemClock } from './log-clock.ts'
import { loggedRequest } from './logged-request.ts'
import { type RequestLogRetention, Retention } from './retention.ts'
import { maxLimit, type RequestLogQuery, validateQuery } from './validate-query.ts'

/** Options of `createRequestLog`. */
export interface CreateRequestLogOptions {
  /** The table of the log, such as `database.requestLog`. */
  readonly repository: RequestLogRepository
  /** How long rows are stored, and how many. Default: 30 days. */
  readonly retention?: RequestLogRetention | undefined
  /**
   * Whether to store messages of the gateway's errors and of unexpected ones. They may quote what a caller sent. Default `false`:
   * the reason or the name is stored, and the message of a failed upstream call, which has no text of the vendor.
   */
  readonly errorMessages?: boolean | undefined
  /** Maximum number of rows that wait for the database. Default 10,000. */
  readonly maxPending?: number | undefined
  /** Maximum size of the rows that wait, as JSON. Default 32 MiB. */
  readonly maxPendingBytes?: number | undefined
  /** The time after which a write counts as failing, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Receives a `store` event when the database begins to fail or works again, and `log_rows_lost` when rows are lost. */
  readonly observe?: Observer | undefined
  /** Called at most once per second if rows are lost. Requests are never affected. */
  readonly onLost?: ((loss: RequestLogLoss) => void) | undefined
}

/** A page of rows. */
export interface RequestLogPage {
  /** Newest first. */
  readonly rows: readonly LoggedRequest[]
  /** Pass it as `after` for the next page; `undefined` on the last one. */
  readonly next: RequestLogPosition | undefined
}

/** The request log of a gateway in a database. */
export interface RequestLog {
  /** Pass it to the gateway as `observe`. It adds the request to a list, and writes it later. */
  readonly observe: Observer
  /** Returns a page of rows. Throws `TypeError` for an invalid query, and rejects if the database fails. */
  search(query?: RequestLogQuery): Promise<RequestLogPage>
  /** Returns the row of a request id. */
  get(id: string): Promise<LoggedRequest | undefined>
  /**
   * Returns all rows that match in a format, page by page; `limit` is the size of a page. Rows that are written meanwhile are not
   * part of it. Throws `TypeError` for an invalid query.
   */
  export(format: RequestLogFormat, query?: RequestLogQuery): AsyncIterable<string>
  /** Deletes all rows of a principal, those that wait too, and returns how many were stored. */
  deletePrincipal(principal: PrincipalId): Promise<number>
  /** Deletes what `retention` does not allow, and returns how many rows. This happens every 10 minutes by itself. */
  applyRetention(): Promise<number>
  /** Counts since the log was created. */
  stats(): RequestLogStats
  /** Resolves when everything is written, or after 5 seconds. */
  flush(): Promise<void>
  /** Flushes, and stops. Close the gateway before it, and the database after it. Safe to call twice. */
  close(): Promise<void>
}

const known: readonly string[] = [
  'repository',
  'retention',
  'errorMessages',
  'maxPending',
  'maxPendingBytes',
  'timeoutMs',
  'observe',
  'onLost',
] satisfies (keyof CreateRequestLogOptions)[]

const repositoryMethods = ['insert', 'search', 'deleteBefore', 'excessBefore', 'deletePrincipal'] as const

/**
 * Creates a request log in a database: one row per request, written beside it. If the database is slow, full or unavailable, rows
 * are lost, counted and reported, and requests go on. Throws `ConfigurationError` for invalid options.
 */
export function createRequestLog(options: CreateRequestLogOptions): RequestLog {
  checkOptions(options)
  const { repository, retention = {}, observe, onLost } = options
  const clock = systemClock
  const changed = (state: StoreEvent['state'], error: unknown) =>
    safely(() => observe?.({ type: 'store', store: 'log', state, error }))
  const errorMessages = options.errorMessages ?? false
  const writer = new BatchWriter<EndEvent, LoggedRequest>({
    name: 'request log',
    insert: rows => repository.insert(rows),
    convert(event) {
      const row = loggedRequest(event, errorMessages)
      return { row, bytes: JSON.stringify(row).length }
    },
    // Some 5 µs of the event loop go to each.
    maxConverted: 200,
    clock,
    maxPending: options.maxPending ?? 10_000,
    maxPendingBytes: options.maxPendingBytes ?? 32 * 1024 * 1024,
    timeoutMs: options.timeoutMs ?? 5_000,
    changed,
    lost: loss => {
      safely(() => onLost?.(loss))
      safely(() => observe?.({ type: 'log_rows_lost', ...loss }))
    },
  })
  const sweeps = new Retention(repository, retention, clock, error => changed('failing', error))

  async function* exported(
    format: RequestLogFormat,
    query: RequestLogQuery,
    until: number,
  ): AsyncGenerator<string> {
    const head = exportHead(format)
    if (head !== '') yield head
    let after = query.after
    do {
      const to = query.to ?? until
      const page = await find({ limit: maxLimit, ...query, to, ...(after !== undefined && { after }) })
      if (page.rows.length > 0) yield exportRows(format, page.rows)
      after = page.next
    } while (after !== undefined)
  }

  const find = (query: RequestLogQuery): Promise<RequestLogPage> => pageOf(validateQuery(query, clock.now()))
  const pageOf = async (search: RequestLogSearch): Promise<RequestLogPage> => {
    const found = await repository.search({ ...search, limit: search.limit + 1 })
    const rows = found.slice(0, search.limit)
    const last = found.length > search.limit ? rows.at(-1) : undefined
    return { rows, next: last && { at: last.at, id: last.id } }
  }

  return {
    observe(event) {
      if (event.type === 'end') writer.add(event)
    },
    search: (query = {}) => find(query),
    get: async id => (await find({ where: { id }, limit: 1 })).rows[0],
    export(format, query = {}) {
      if (format !== 'csv' && format !== 'jsonl') {
        throw new TypeError(
          `Request log: the format is ${JSON.stringify(format)}, expected "csv" or "jsonl".`,
        )
      }
      const now = clock.now()
      validateQuery(query, now)
      return exported(format, query, now + 1)
    },
    async deletePrincipal(principal) {
      await writer.flush()
      return repository.deletePrincipal(principal)
    },
    applyRetention: () => sweeps.run(),
    stats: () => writer.stats,
    flush: () => writer.flush(),
    close() {
      sweeps.stop()
      return writer.close()
    },
  }
}

/** Errors of a callback must not stop the writer. */
export function safely(run: () => void): void {
  try {
    run()
  } catch {
    // The owner's own.
  }
}

/** Throws `ConfigurationError`. */
function checkOptions(options: CreateRequestLogOptions): void {
  const issues: ConfigurationIssue[] = []
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError('createRequestLog()', [
      configurationIssue([], options, 'an object of options, such as { repository }'),
    ])
  }
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) issues.push(unknownOption([name], value, known))
  }
  const { repository, retention, errorMessages, observe, onLost } = options
  if (!repositoryMethods.every(name => typeof repository?.[name] === 'function')) {
    issues.push(hiddenIssue(['repository'], repository, 'a repository, such as database.requestLog'))
  }
  if (errorMessages !== undefined && typeof errorMessages !== 'boolean') {
    issues.push(configurationIssue(['errorMessages'], errorMessages, 'true or false'))
  }
  for (const name of ['maxPending', 'maxPendingBytes', 'timeoutMs'] as const) {
    issues.push(...countIssues([name], options[name]))
  }
  for (const [name, value] of Object.entries({ observe, onLost })) {
    if (value !== undefined && typeof value !== 'function') {
      issues.push(configurationIssue([name], value, 'a function'))
    }
  }
  issues.push(...retentionIssues(retention))
  if (issues.length > 0) throw new ConfigurationError('createRequestLog()', issues)
}

const retentionMembers: readonly string[] = [
  'maxAgeMs',
  'maxRows',
  'maxBytes',
] satisfies (keyof RequestLogRetention)[]

function retentionIssues(retention: RequestLogRetention | undefined): ConfigurationIssue[] {
  if (retention === undefined) return []
  if (typeof retention !== 'object' || retention === null) {
    return [configurationIssue(['retention'], retention, 'an object, such as { maxAgeMs }')]
  }
  return [
    ...Object.entries(retention)
      .filter(([name]) => !retentionMembers.includes(name))
      .map(([name, value]) => unknownOption(['retention', name], value, retentionMembers)),
    ...(retention.maxAgeMs === null ? [] : countIssues(['retention', 'maxAgeMs'], retention.maxAgeMs)),
    ...countIssues(['retention', 'maxRows'], retention.maxRows),
    ...countIssues(['retention', 'maxBytes'], retention.maxBytes),
  ]
}

export function countIssues(path: readonly string[], value: unknown): ConfigurationIssue[] {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1)) return []
  return [configurationIssue([...path], value, 'a whole number from 1')]
}
