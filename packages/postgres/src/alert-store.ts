import { createHash } from 'node:crypto'
import { type AlertStore, type CacheKey, escapeNul, unescapeNul } from '@sluice/core/store'
import type { Queries } from './queries.ts'
import { integerColumn, textColumn } from './row-values.ts'

/** How many expired rows are deleted when one is added. */
const deletedAtOnce = 200

/** Creates the store of alerts in PostgreSQL. Each alert that is added deletes some of what has expired. */
export function postgresAlertStore(queries: Queries): AlertStore {
  const alerts = `${queries.schema.sql}.alerts`
  const expiry = (param: string) => `now() + ${param}::text::bigint * interval '1 millisecond'`
  const live = 'id = $1::text and expires_at > now()'
  const counted = (change: string) => `with changed as (
${change}
returning 1
)
select count(*)::text as count from changed`
  const insert = counted(`insert into ${alerts} as stored (id, text, expires_at)
values ($1::text, $2::text, ${expiry('$3')})
on conflict (id) do update set text = excluded.text, expires_at = excluded.expires_at where stored.expires_at <= now()`)
  const select = `select text from ${alerts} where ${live}`
  const update = counted(`update ${alerts} set text = $3::text, expires_at = ${expiry('$4')}
where ${live} and text = $2::text`)
  const remove = counted(`delete from ${alerts} where ${live} and text = $2::text`)
  // A statement of its own that skips locked rows: two processes cannot wait for each other.
  const removeExpired = `with expired as (
  select id from ${alerts} where expires_at <= now() limit ${deletedAtOnce} for update skip locked
)
delete from ${alerts} as stored using expired where stored.id = expired.id`
  const isChanged = async (statement: string, params: string[]): Promise<boolean> => {
    const [row] = await queries.run(statement, params)
    return integerColumn(row, 'count') === 1
  }
  return {
    async add(key, text, { ttlMs }) {
      const id = digestOf(key)
      for (;;) {
        if (await isChanged(insert, [id, escapeNul(text), String(Math.ceil(ttlMs))])) {
          // The next alert deletes what this one could not.
          await queries.run(removeExpired).catch(() => {})
          return 'added'
        }
        const [row] = await queries.run(select, [id])
        // Otherwise it was removed meanwhile.
        if (row !== undefined) return { existing: unescapeNul(textColumn(row, 'text')) }
      }
    },
    replace(key, expected, text, { ttlMs }) {
      const which = [digestOf(key), escapeNul(expected)]
      if (text === undefined) return isChanged(remove, which)
      return isChanged(update, [...which, escapeNul(text), String(Math.ceil(ttlMs))])
    },
  }
}

/** Of a fixed length, and without the names of principals. */
function digestOf({ owner, name }: CacheKey): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, name]))
    .digest('base64url')
}
