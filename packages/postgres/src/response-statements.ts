import type { Schema } from './schema.ts'

/** The statements of the response store. `now()` is the server's clock; each statement is a transaction of its own. */
export interface ResponseStatements {
  /** Takes an owner, an id, a text, the ids of items as JSON, a lifetime in ms, and the maximum number and size. */
  readonly put: string
  /** Both take an owner, an id, and the lifetime at which a read renews to the lifetime that follows, in ms. */
  readonly get: string
  readonly findItem: string
  readonly getOnly: string
  readonly findItemOnly: string
  /** Takes an owner and an id. */
  readonly remove: string
  readonly removeAny: string
  /** Takes an owner. */
  readonly removeOwner: string
  readonly removeExpired: string
}

/** How many responses one statement evicts, and how many expired ones it deletes, so that it holds its locks for a short time. */
export const deletedAtOnce = 1_000

const inMs = (param: string) => `${param}::text::bigint * interval '1 millisecond'`

/** Creates the statements for a schema. */
export function responseStatements({ sql }: Schema): ResponseStatements {
  const responses = `${sql}.responses`
  const items = `${sql}.response_items`
  const byId = '$2::text'
  const byItem = `(select response_id from ${items} where owner = $1::text and id = $2::text)`
  const live = (id: string) => `owner = $1::text and id = ${id} and expires_at > now()`
  const readOnly = (id: string) => `select text from ${responses} where ${live(id)}`
  const read = (id: string) => `with renewed as (
  update ${responses} set expires_at = now() + ${inMs('$4')}
  where ${live(id)} and expires_at <= now() + ${inMs('$3')}
)
${readOnly(id)}`
  const counted = (deletion: string) => `with deleted as (
${deletion}
returning 1
)
select count(*)::text as count from deleted`
  return {
    // The statement does not see its own rows: what it stores is added to the sums of the others. Skips rows that another
    // transaction is writing.
    put: `with given as (
  select $3::text as text, octet_length($3::text)::bigint as bytes, now() + ${inMs('$5')} as expires_at
), stored as (
  insert into ${responses} (owner, id, bytes, expires_at, text)
  select $1::text, $2::text, bytes, expires_at, text from given
  on conflict (owner, id) do update
  set bytes = excluded.bytes, expires_at = excluded.expires_at, text = excluded.text
), item_ids as (
  select distinct value as id from jsonb_array_elements_text($4::text::jsonb)
), removed as (
  delete from ${items} where owner = $1::text and response_id = $2::text and id not in (select id from item_ids)
), added as (
  insert into ${items} (owner, id, response_id) select $1::text, id, $2::text from item_ids
  on conflict (owner, id) do update set response_id = excluded.response_id
), excess as (
  select count(*) + 1 - $6::text::bigint as responses,
    coalesce(sum(stored.bytes), 0) + (select bytes from given) - $7::text::bigint as bytes
  from ${responses} as stored where owner = $1::text and id <> $2::text
), oldest as (
  select id, bytes, expires_at from ${responses} where owner = $1::text and id <> $2::text
  order by expires_at, id
  limit (select case when bytes > 0 then ${deletedAtOnce} else greatest(0, least(responses, ${deletedAtOnce})) end from excess)
), placed as (
  select id, row_number() over age as place, sum(bytes) over age - bytes as before
  from oldest window age as (order by expires_at, id)
), evictable as (
  select stored.id from ${responses} as stored
  where owner = $1::text and stored.id in (
    select placed.id from placed, excess where place <= excess.responses or before < excess.bytes
  )
  for update skip locked
), deleted as (
  delete from ${responses} where owner = $1::text and id in (select id from evictable)
  returning 1
)
select count(*)::text as count from deleted`,
    get: read(byId),
    findItem: read(byItem),
    getOnly: readOnly(byId),
    findItemOnly: readOnly(byItem),
    remove: counted(`delete from ${responses} where ${live(byId)}`),
    removeAny: `delete from ${responses} where owner = $1::text and id = $2::text`,
    removeOwner: counted(`delete from ${responses} where owner = $1::text`),
    removeExpired: `with expired as (
  select owner, id from ${responses} where expires_at <= now()
  order by expires_at limit ${deletedAtOnce} for update skip locked
), deleted as (
  delete from ${responses} as stored using expired
  where stored.owner = expired.owner and stored.id = expired.id
  returning 1
)
select count(*)::text as count from deleted`,
  }
}
