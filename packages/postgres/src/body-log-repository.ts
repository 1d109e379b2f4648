import { type BodyLogRepository, storableText } from '@sluice/core/store'
import { principalPrefix } from './principal-prefix.ts'
import type { Queries } from './queries.ts'
import { integerColumn, nullableTextColumn, textColumn } from './row-values.ts'
import { msFromTimestamp, timestampFromMs } from './timestamps.ts'

/** How many rows one transaction deletes, so that it holds its locks for a short time. */
const deletedAtOnce = 1_000

/** Creates the repository of encrypted bodies in PostgreSQL. */
export function postgresBodyLogRepository(queries: Queries): BodyLogRepository {
  const { sql } = queries.schema
  const insert = `insert into ${sql}.bodies (id, at, principal, source, key_id, sealed)
select value ->> 'id', ${timestampFromMs(`(value ->> 'at')::bigint`)}, value ->> 'principal', value ->> 'source',
  value ->> 'keyId', value ->> 'sealed'
from json_array_elements($1::text::json)
on conflict (id) do nothing`
  const select = `select id, ${msFromTimestamp('at')}::text as at, principal, source, key_id, sealed
from ${sql}.bodies where id = $1::text`
  const deletion = (condition: string, locking = '') => `with found as (
  select id from ${sql}.bodies where ${condition} limit $1::text::bigint for update ${locking}
), deleted as (
  delete from ${sql}.bodies as bodies using found where bodies.id = found.id returning bodies.id
)
select count(*)::text as deleted from deleted`
  // It waits for no other deletion, so that the two cannot wait for each other.
  const deleteOld = deletion(`at < ${timestampFromMs('$2::text::bigint')}`, 'skip locked')
  const deletePrincipal = deletion(`${principalPrefix('principal')} = ${principalPrefix('$2::text')}
    and principal = $2::text and coalesce(source, '') = $3::text`)
  const deleteAll = async (statement: string, params: readonly string[]): Promise<number> => {
    for (let all = 0; ; ) {
      const [row] = await queries.run(statement, [String(deletedAtOnce), ...params])
      const deleted = integerColumn(row, 'deleted')
      all += deleted
      if (deleted === 0) return all
    }
  }
  return {
    async insert(rows) {
      if (rows.length > 0) await queries.run(insert, [JSON.stringify(rows)])
    },
    async get(id) {
      const [row] = await queries.run(select, [storableText(id)])
      if (row === undefined) return undefined
      return {
        id: textColumn(row, 'id'),
        at: integerColumn(row, 'at'),
        principal: textColumn(row, 'principal'),
        source: nullableTextColumn(row, 'source'),
        keyId: textColumn(row, 'key_id'),
        sealed: textColumn(row, 'sealed'),
      }
    },
    deleteBefore: at => deleteAll(deleteOld, [String(Math.max(Math.ceil(at), 0))]),
    deletePrincipal: ({ id, source = '' }) =>
      deleteAll(deletePrincipal, [storableText(id), storableText(source)]),
  }
}
