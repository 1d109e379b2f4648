import {
  type LoggedRequest,
  type RequestLogFilter,
  type RequestLogRepository,
  storableText,
} from '@sluice/core/store'

/** A repository for tests. */
export function inMemoryRequestLog(): RequestLogRepository {
  let rows: LoggedRequest[] = []
  const keep = (condition: (row: LoggedRequest) => boolean): number => {
    const before = rows.length
    rows = rows.filter(condition)
    return before - rows.length
  }
  return {
    async insert(given) {
      const ids = new Set(rows.map(({ id }) => id))
      rows.push(...given.filter(({ id }) => !ids.has(id)))
      rows.sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
    },
    async search({ from, to, where, after, limit }) {
      return rows
        .filter(row => from === undefined || row.at >= from)
        .filter(row => to === undefined || row.at < to)
        .filter(row => after === undefined || row.at < after.at || (row.at === after.at && row.id < after.id))
        .filter(row => matches(row, where))
        .slice(0, limit)
    },
    async deleteBefore(at) {
      return keep(row => row.at >= at)
    },
    async excessBefore({ maxRows = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }) {
      let bytes = 0
      for (const [index, row] of rows.entries()) {
        bytes += JSON.stringify(row).length
        if (index >= maxRows || bytes > maxBytes) return row.at + 1
      }
      return undefined
    },
    async deletePrincipal({ id, source }) {
      const stored = source === undefined ? null : storableText(source)
      return keep(row => row.principal !== storableText(id) || row.source !== stored)
    },
  }
}

function matches(row: LoggedRequest, where: RequestLogFilter): boolean {
  const { key, status, errorText, tags = {}, ...exact } = where
  return (
    (key === undefined || row.principal === key) &&
    (status === undefined || row.status === status || `${Math.floor(row.status / 100)}xx` === status) &&
    (errorText === undefined || row.errorText?.toLowerCase().includes(errorText.toLowerCase()) === true) &&
    Object.entries(tags).every(([tag, value]) => Object.hasOwn(row.tags, tag) && row.tags[tag] === value) &&
    Object.entries(exact).every(([name, value]) => row[name as keyof typeof exact] === value)
  )
}
