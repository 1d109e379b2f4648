import { principalPrefix } from './principal-prefix.ts'
import type { Schema } from './schema.ts'
import { msFromTimestamp, timestampFromMs } from './timestamps.ts'

/** Writes `$1`, a JSON list of `LoggedRequest`, with its tags. Rows that are stored already are ignored. */
export function insertRequests({ sql }: Schema): string {
  return `with given as (
  select value as entry from jsonb_array_elements($1::text::jsonb)
), inserted as (
  insert into ${sql}.request_log (id, at, client_request_id, principal, source, end_user, model, provider, operation, dialect,
    outcome, status, error, error_text, bytes, entry)
  select entry ->> 'id', ${timestampFromMs(`(entry ->> 'at')::bigint`)}, entry ->> 'clientRequestId', entry ->> 'principal',
    entry ->> 'source', entry ->> 'user', entry ->> 'model', entry ->> 'provider', entry ->> 'operation', entry ->> 'dialect',
    entry ->> 'outcome', (entry ->> 'status')::bigint, entry ->> 'error', entry ->> 'errorText',
    octet_length(entry::text), entry
  from given
  on conflict (id) do nothing
  returning id, at, entry
)
insert into ${sql}.request_log_tags (name, value, at, id)
select ${principalPrefix('tag.key')}, ${principalPrefix('tag.value')}, inserted.at, inserted.id
from inserted cross join lateral jsonb_each_text(inserted.entry -> 'tags') as tag`
}

/** Deletes at most `$1` rows that arrived before `$2`, oldest first, with their tags. Returns how many. */
export function deleteOldRequests(schema: Schema): string {
  // It waits for no other deletion, so that the two cannot wait for each other.
  return deletion(schema, `where at < ${timestampFromMs('$2::text::bigint')} order by at`, 'skip locked')
}

/** Deletes at most `$1` rows of the principal `$2` with the source `$3`, which is empty for none, and their tags. */
export function deletePrincipalRequests(schema: Schema): string {
  return deletion(
    schema,
    `where ${principalPrefix('principal')} = ${principalPrefix('$2::text')} and principal = $2::text
    and coalesce(source, '') = $3::text`,
  )
}

function deletion({ sql }: Schema, selection: string, locking = ''): string {
  return `with found as (
  select id from ${sql}.request_log ${selection} limit $1::text::bigint for update ${locking}
), deleted as (
  delete from ${sql}.request_log as request using found where request.id = found.id
  returning request.id, request.at, request.entry
), tags as (
  delete from ${sql}.request_log_tags as tag
  using deleted cross join lateral jsonb_each_text(deleted.entry -> 'tags') as given
  where tag.name = ${principalPrefix('given.key')} and tag.value = ${principalPrefix('given.value')}
    and tag.at = deleted.at and tag.id = deleted.id
)
select (select count(*) from deleted)::text as deleted`
}

/** The newest time at which more than `$1` rows, or rows of more than `$2` bytes, are stored. */
export function excessRequests({ sql }: Schema): string {
  return `select ${msFromTimestamp('max(at)')}::text as at from (
  select at, row_number() over newest as rows, sum(bytes) over newest as bytes
  from ${sql}.request_log
  window newest as (order by at desc, id desc rows unbounded preceding)
) as summed where rows > $1::text::bigint or bytes > $2::text::numeric`
}
