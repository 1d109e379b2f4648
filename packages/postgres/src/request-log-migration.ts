import { principalPrefix } from './principal-prefix.ts'
import type { Schema } from './schema.ts'

/**
 * The tables of the request log. Each index serves a filter and ends with the time; those of failures are partial, as most requests
 * have none. Names can exceed the maximum size of an index entry, so only their beginnings are indexed; codes of errors cannot.
 */
export function requestLogTables({ sql }: Schema): string {
  const byName = (column: string) =>
    `create index request_log_${column} on ${sql}.request_log (${principalPrefix(column)}, at desc, id desc);`
  return `
    create table ${sql}.request_log (
      id text collate "C" primary key,
      at timestamptz not null,
      client_request_id text collate "C",
      principal text collate "C",
      source text collate "C",
      end_user text collate "C",
      model text collate "C",
      provider text collate "C",
      operation text collate "C" not null,
      dialect text collate "C" not null,
      outcome text collate "C" not null,
      status bigint not null,
      error text collate "C",
      error_text text collate "C",
      bytes bigint not null,
      entry jsonb not null
    );
    comment on table ${sql}.request_log is 'One row per request. The columns repeat what searches need of entry.';
    comment on column ${sql}.request_log.bytes is 'Size of entry as text.';
    create index request_log_at on ${sql}.request_log (at desc, id desc) include (bytes);
    create index request_log_client_request_id on ${sql}.request_log
      (${principalPrefix('client_request_id')}, at desc, id desc) where client_request_id is not null;
    create index request_log_end_user on ${sql}.request_log (${principalPrefix('end_user')}, at desc, id desc)
      where end_user is not null;
    ${['principal', 'source', 'model', 'provider', 'dialect'].map(byName).join('\n    ')}
    create index request_log_outcome on ${sql}.request_log (outcome, at desc, id desc) where outcome <> 'completed';
    create index request_log_status on ${sql}.request_log (status, at desc, id desc) where status >= 400;
    create index request_log_class on ${sql}.request_log ((status / 100), at desc, id desc) where status >= 400;
    create index request_log_error on ${sql}.request_log (error, at desc, id desc) where error is not null;
    create index request_log_error_text on ${sql}.request_log (at desc, id desc) where error_text is not null;
    create table ${sql}.request_log_tags (
      name text collate "C" not null,
      value text collate "C" not null,
      at timestamptz not null,
      id text collate "C" not null
    );
    comment on table ${sql}.request_log_tags is 'The first 64 characters of each tag of request_log, to search by.';
    create index request_log_tags_value on ${sql}.request_log_tags (name, value, at desc, id desc);`
}
