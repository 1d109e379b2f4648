import { GatewayError } from '@sluice/core'
import type { LoggedRequest, RequestLogFilter, RequestLogPosition } from '@sluice/core/store'
import type { LogPage } from './api.ts'
import { callStore } from './call-store.ts'

/** A query of the request log: that of `@sluice/log`. */
export interface ConsoleLogQuery {
  readonly from?: number
  readonly to?: number
  readonly where?: RequestLogFilter
  readonly after?: RequestLogPosition
  readonly limit?: number
}

/** The request log that the page searches: what `createRequestLog` of `@sluice/log` returns. */
export interface ConsoleLog {
  /** Throws `TypeError` for an invalid query. */
  search(query: ConsoleLogQuery): Promise<{
    readonly rows: readonly LoggedRequest[]
    readonly next: RequestLogPosition | undefined
  }>
  get(id: string): Promise<LoggedRequest | undefined>
  /** Throws `TypeError` for an invalid query. */
  export(format: 'csv' | 'jsonl', query: ConsoleLogQuery): AsyncIterable<string>
}

const texts = [
  'id',
  'clientRequestId',
  'key',
  'source',
  'user',
  'model',
  'provider',
  'operation',
  'dialect',
  'outcome',
  'error',
  'errorText',
] as const

/** Parameters of a search. `tag` can be given several times: `tag=team:search`. */
export const logParameters: readonly string[] = [...texts, 'status', 'tag', 'from', 'to', 'after', 'limit']
export const repeatedLogParameters: readonly string[] = ['tag']

/** A page of rows for the parameters of a URL. Throws 400 for an invalid query, and 503. */
export async function searchLog(log: ConsoleLog, given: URLSearchParams): Promise<LogPage> {
  const query = queryOf(given)
  const { rows, next } = await callStore(
    'log',
    rejectInvalid(() => log.search(query)),
  )
  return { rows, ...(next !== undefined && { next: `${next.at}:${next.id}` }) }
}

/** All rows that match, as text. Throws 400 for an invalid query; an error of the database ends the body. */
export function exportLog(log: ConsoleLog, format: 'csv' | 'jsonl', given: URLSearchParams): ReadableStream {
  const query = queryOf(given)
  const lines = rejectInvalid(() => log.export(format, query))()[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await lines.return?.()
    },
  })
}

/** Calls a function at once, and returns one for its result. Its `TypeError` is a 400: the query is invalid. */
function rejectInvalid<T>(call: () => T): () => T {
  try {
    const result = call()
    return () => result
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new GatewayError('invalid_value', { message: error.message })
  }
}

/** A form that is left empty sends an empty text. */
function queryOf(given: URLSearchParams): ConsoleLogQuery {
  const textAt = (name: string) => given.get(name) || undefined
  const where: Record<string, unknown> = {}
  for (const name of texts) {
    const text = textAt(name)
    if (text !== undefined) where[name] = text
  }
  const status = textAt('status')
  if (status !== undefined) where.status = /^\d{3}$/.test(status) ? Number(status) : status
  const tags = given.getAll('tag').filter(text => text !== '')
  if (tags.length > 0) where.tags = Object.fromEntries(tags.map(tagOf))
  const [from, to, limit] = ['from', 'to', 'limit'].map(name => numberOf(name, textAt(name)))
  const after = textAt('after')
  return {
    where: where as RequestLogFilter,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(limit !== undefined && { limit }),
    ...(after !== undefined && { after: positionOf(after) }),
  }
}

function tagOf(text: string): readonly [name: string, value: string] {
  const at = text.indexOf(':')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw invalid('tag', 'tag must be a name and a value, such as team:search.')
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,16}$/.test(text)) return Number(text)
  throw invalid(
    name,
    `${name} must be a whole number${name === 'limit' ? '' : ' of milliseconds since 1970'}.`,
  )
}

function positionOf(text: string): RequestLogPosition {
  const [, at, id] = /^(\d{1,16}):(.+)$/s.exec(text) ?? []
  if (at !== undefined && id !== undefined) return { at: Number(at), id }
  throw invalid('after', 'after must be the next of a page.')
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError('invalid_value', { message, param })
}
