import { principalPrefix } from './principal-prefix.ts'
import type { Schema } from './schema.ts'
import { timestampFromMs } from './timestamps.ts'

/** The columns of a `MergedBatch` row, for `jsonb_to_recordset`. */
const batchColumns = `kind text, id text, "requestId" text, operation text, dialect text,
  principal text, source text, "user" text, tags jsonb, model text, stream boolean, "openedAt" bigint,
  "promptTokens" bigint, "completionTokens" bigint, "cachedTokens" bigint, "reasoningTokens" bigint, "nanoDollars" bigint,
  "closedAt" bigint, outcome text, status bigint, provider text, "upstreamModel" text, "responseModel" text, attempts bigint, hooks text,
  estimated boolean, "firstByteMs" bigint, "totalMs" bigint, "hasProgress" boolean`

/**
 * The columns that a closing updates in an open row, or in one that was closed as `lost`. Progress of an open row updates
 * its charge.
 */
const updatedColumns = [
  'heard_at',
  'closed_at',
  'outcome',
  'status',
  'provider',
  'upstream_model',
  'response_model',
  'attempts',
  'hooks',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'nano_dollars',
  'estimated',
  'first_byte_ms',
  'total_ms',
]

/** Writes `$1`, rows as JSON with unique ids. */
export function rowsStatement({ sql }: Schema): string {
  return `with given as (
  select * from jsonb_to_recordset($1::text::jsonb) as given (${batchColumns})
)
insert into ${sql}.requests as stored (kind, id, request_id, operation, dialect, principal, source, end_user,
  tags, model, stream, opened_at,
  prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, nano_dollars,
  closed_at, outcome, status, provider, upstream_model, response_model, attempts, hooks, estimated, first_byte_ms, total_ms)
select kind, id, "requestId", operation, dialect, principal, source, "user",
  tags, model, stream, ${timestampFromMs('"openedAt"')},
  "promptTokens", "completionTokens", "cachedTokens", "reasoningTokens", "nanoDollars",
  ${timestampFromMs('"closedAt"')}, outcome, status, provider, "upstreamModel", "responseModel", attempts, hooks, estimated, "firstByteMs", "totalMs"
from given
on conflict (id) do update set ${updatedColumns.map(column => `${column} = excluded.${column}`).join(', ')}
where excluded.closed_at is not null and (stored.closed_at is null or stored.outcome = 'lost')
  or stored.closed_at is null and excluded.id in (select id from given where "hasProgress")`
}

/**
 * The same, and `$2`: progress as JSON, of ids that are not in `$1`. Skips locked rows: the next progress updates them.
 */
export function progressStatement(schema: Schema): string {
  const { sql } = schema
  return `with written as (
${rowsStatement(schema)}
), progress as (
  select * from jsonb_to_recordset($2::text::jsonb) as progress (id text, charge jsonb)
), held as materialized (
  select id from ${sql}.requests where id in (select id from progress) and closed_at is null
  order by id for update skip locked
)
update ${sql}.requests as stored set
  heard_at = clock_timestamp(),
  prompt_tokens = coalesce((charge->>'promptTokens')::bigint, prompt_tokens),
  completion_tokens = coalesce((charge->>'completionTokens')::bigint, completion_tokens),
  cached_tokens = coalesce((charge->>'cachedTokens')::bigint, cached_tokens),
  reasoning_tokens = coalesce((charge->>'reasoningTokens')::bigint, reasoning_tokens),
  nano_dollars = case when charge is null then nano_dollars else (charge->>'nanoDollars')::bigint end
from progress join held using (id)
where stored.id = progress.id`
}

/** Closes records without progress for `$1` milliseconds. Skips rows that another transaction is writing. */
export function orphansStatement({ sql }: Schema): string {
  return `with silent as (
  select id from ${sql}.requests
  where closed_at is null and heard_at <= clock_timestamp() - $1::text::double precision * interval '1 millisecond'
  order by id for update skip locked
), lost as (
  update ${sql}.requests as stored set closed_at = clock_timestamp(), outcome = 'lost', estimated = true
  from silent where stored.id = silent.id
  returning 1
)
select count(*)::text as count from lost`
}

/** Deletes the records of refused requests: $1 is a JSON list of ids. Includes those that a sweep has closed as `lost`. */
export function cancelledStatement({ sql }: Schema): string {
  return `delete from ${sql}.requests
where id in (select value from jsonb_array_elements_text($1::jsonb)) and (closed_at is null or outcome = 'lost')`
}

/**
 * Deletes records of the principal with the id $1 and the source $2, empty for none: at most $3. Locks them in the order of
 * their ids, as other writers do, which prevents deadlocks. Returns how many it found, and how many of these it deleted.
 */
export function deletePrincipalStatement({ sql }: Schema): string {
  return `with batch as materialized (
  select id from ${sql}.requests
  where ${principalPrefix('principal')} = ${principalPrefix('$1::text')} and principal = $1::text
    and coalesce(source, '') = $2::text
  limit $3::text::bigint
), locked as materialized (
  select id from ${sql}.requests where id in (select id from batch) order by id for update
), deleted as (
  delete from ${sql}.requests as stored using locked where stored.id = locked.id
  returning 1
)
select (select count(*) from batch)::text as found, (select count(*) from deleted)::text as deleted`
}
