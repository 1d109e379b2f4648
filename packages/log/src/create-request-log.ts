import type { EndEvent, Observer } from '@sluice/core'
import { type ConfigurationIssue, configurationIssue } from '@sluice/core/adapter'
import type {
  LoggedRequest,
  RequestLogPosition,
  RequestLogRepository,
  RequestLogSearch,
} from '@sluice/core/store'
import { checkOptions, countIssues, unknownIssues } from './check-options.ts'
import { exportHead, exportRows, type RequestLogFormat } from './export-rows.ts'
import { systemClock } from './log-clock.ts'
import { loggedRequest } from './logged-request.ts'
import { type LogReportOptions, type OpenLog, openLog } from './open-log.ts'
import type { RequestLogRetention } from './retention.ts'
import { maxLimit, type RequestLogQuery, validateQuery } from './validate-query.ts'

/** Options of `createRequestLog`. */
export interface CreateRequestLogOptions extends LogReportOptions {
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
}

/** A page of rows. */
export interface RequestLogPage {
  /** Newest first. */
  readonly rows: readonly LoggedRequest[]
  /** Pass it as `after` for the next page; `undefined` on the last one. */
  readonly next: RequestLogPosition | undefined
}

/** The request log of a gateway in a database. */
export interface RequestLog extends OpenLog {
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

/**
 * Creates a request log in a database: one row per request, written beside it. If the database is slow, full or unavailable, rows
 * are lost, counted and reported, and requests go on. Throws `ConfigurationError` for invalid options.
 */
export function createRequestLog(options: CreateRequestLogOptions): RequestLog {
  checkRequestLogOptions(options)
  const { repository, retention = {} } = options
  const clock = systemClock
  const errorMessages = options.errorMessages ?? false
  const { add, log } = openLog<EndEvent, LoggedRequest>({
    name: 'request log',
    events: { store: 'log', lost: 'log_rows_lost' },
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
    repository,
    retention,
    reports: options,
  })

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
    ...log,
    observe(event) {
      if (event.type === 'end') add(event)
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
  }
}

function checkRequestLogOptions(options: CreateRequestLogOptions): void {
  checkOptions('createRequestLog()', options, {
    known,
    example: '{ repository }',
    repositoryMethods: ['insert', 'search', 'deleteBefore', 'excessBefore', 'deletePrincipal'],
    repository: 'database.requestLog',
    counts: ['maxPending', 'maxPendingBytes', 'timeoutMs'],
    functions: ['observe', 'onLost'],
    further: () => [
      ...(options.errorMessages === undefined || typeof options.errorMessages === 'boolean'
        ? []
        : [configurationIssue(['errorMessages'], options.errorMessages, 'true or false')]),
      ...retentionIssues(options.retention),
    ],
  })
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
    ...unknownIssues(['retention'], retention, retentionMembers),
    ...(retention.maxAgeMs === null ? [] : countIssues(['retention', 'maxAgeMs'], retention.maxAgeMs)),
    ...countIssues(['retention', 'maxRows'], retention.maxRows),
    ...countIssues(['retention', 'maxBytes'], retention.maxBytes),
  ]
}
