import { principalPrefix } from './principal-prefix.ts'
import { requestLogTables } from './request-log-migration.ts'
import type { Schema } from './schema.ts'

/*
 * Units: `requests.nano_dollars` is in billionths of a US dollar, as is `sluice_record.cost` of `@sluice/sqlite`.
 *
 * `keys.limits` is not migrated: core's `keyStore` maps the `shadow` of older rules when it reads a key.
 */

/** One step from a version of the tables to the next. */
export type Migration =
  /** SQL that runs in one transaction. It may lock a table, so it must not read or write many rows. */
  | { readonly statements: (schema: Schema) => string }
  /**
   * A query that updates the rows after the id `$1`, at most one batch of them, and returns the last id of the batch as
   * `last`, `null` after the last row. It runs once for each batch, in a transaction of its own, and may run again.
   */
  | { readonly batch: (schema: Schema) => string }

/** Applied in this order; the first leads to version 1. A published migration is never changed. */
export const migrations: readonly Migration[] = [
  {
    statements: ({ sql }) => `
    create table ${sql}.requests (
      id text collate "C" primary key,
      request_id text not null,
      principal text not null,
      tags jsonb not null,
      model text not null,
      stream boolean not null,
      opened_at timestamptz not null,
      heard_at timestamptz not null default clock_timestamp(),
      closed_at timestamptz,
      outcome text,
      status bigint,
      provider text,
      upstream_model text,
      attempts bigint,
      prompt_tokens bigint not null,
      completion_tokens bigint not null,
      cached_tokens bigint not null,
      reasoning_tokens bigint not null,
      nano_dollars bigint,
      estimated boolean,
      first_byte_ms bigint,
      total_ms bigint
    );
    comment on table ${sql}.requests is 'Every admitted request. Open ones hold an estimate and have no closed_at.';
    comment on column ${sql}.requests.nano_dollars is 'Billionths of a US dollar; null where no price is known.';
    create index requests_opened_at on ${sql}.requests (opened_at);
    create index requests_principal on ${sql}.requests (${principalPrefix('principal')}, opened_at);
    create index requests_open on ${sql}.requests (heard_at) where closed_at is null;
    create table ${sql}.keys (
      id text collate "C" primary key,
      serial bigint generated always as identity,
      name text not null,
      models jsonb,
      tags jsonb,
      limits jsonb,
      disabled boolean not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      secrets jsonb not null
    );
    comment on column ${sql}.keys.secrets is 'Digests, newest first: never a key itself.';
    create table ${sql}.key_digests (
      digest text collate "C" primary key,
      key_id text collate "C" not null references ${sql}.keys (id) on delete cascade
    );
    comment on table ${sql}.key_digests is 'Which key to look at for a digest: keys.secrets says whether it is good.';
    create index key_digests_key on ${sql}.key_digests (key_id);`,
  },
  {
    statements: ({ sql }) => `
    alter table ${sql}.requests add column kind text not null default 'request';
    comment on column ${sql}.requests.kind is 'Of what: a request, or a hedge or a shadow beside one, whose answer its caller did not get.';`,
  },
  {
    statements: ({ sql }) => `
    alter table ${sql}.requests add column response_model text;
    comment on column ${sql}.requests.response_model is 'The model that the answer names, which may be another than upstream_model.';`,
  },
  // The outcome `client_aborted` is now `client_disconnected`. Processes of an older version keep writing the old value
  // until they are replaced, so a trigger renames it. Its function runs for these rows only: `when` is checked first.
  {
    statements: ({ sql }) => `
    create function ${sql}.rename_client_aborted() returns trigger language plpgsql as $rename$ begin
      new.outcome := 'client_disconnected';
      return new;
    end $rename$;
    create trigger rename_client_aborted before insert or update of outcome on ${sql}.requests
      for each row when (new.outcome = 'client_aborted') execute function ${sql}.rename_client_aborted();`,
  },
  // The rows that are stored. A single UPDATE of a large table holds its row locks and a snapshot for minutes, and fails
  // if `statement_timeout` is short. Batches in the order of the primary key hold them for some 40 ms each: 2 million
  // rows, of which 5 % change, take 4 s on two cores.
  {
    batch: ({ sql }) => `with batch as materialized (
  select id, outcome from ${sql}.requests where id > $1::text order by id limit 10000
), renamed as (
  update ${sql}.requests as request set outcome = 'client_disconnected'
  from batch where request.id = batch.id and batch.outcome = 'client_aborted'
)
select max(id) as last from batch`,
  },
  // Constant defaults change no row. Processes of an older version go on writing chat completions.
  {
    statements: ({ sql }) => `
    alter table ${sql}.requests
      add column operation text not null default 'generate',
      add column dialect text not null default 'chat',
      add column source text,
      add column end_user text;
    comment on column ${sql}.requests.operation is 'What the request wants of the model: generate, embed or countTokens.';
    comment on column ${sql}.requests.dialect is 'The protocol of the caller, such as chat.';
    comment on column ${sql}.requests.source is 'The source of the principal: ids are unique only within one.';
    comment on column ${sql}.requests.end_user is 'The end user, as the caller named it.';`,
  },
  {
    statements: ({ sql }) => `
    create table ${sql}.responses (
      owner text collate "C" not null,
      id text collate "C" not null,
      bytes bigint not null,
      expires_at timestamptz not null,
      text text not null,
      primary key (owner, id)
    );
    comment on table ${sql}.responses is 'Responses, with the items of their requests, for the requests that continue them.';
    comment on column ${sql}.responses.owner is 'A digest of the source and the id of the principal.';
    create index responses_owner on ${sql}.responses (owner, expires_at) include (bytes);
    create index responses_expires_at on ${sql}.responses (expires_at);
    create table ${sql}.response_items (
      owner text collate "C" not null,
      id text collate "C" not null,
      response_id text collate "C" not null,
      primary key (owner, id),
      foreign key (owner, response_id) references ${sql}.responses (owner, id) on delete cascade
    );
    comment on table ${sql}.response_items is 'Which response has an item.';
    create index response_items_response on ${sql}.response_items (owner, response_id);`,
  },
  { statements: requestLogTables },
  {
    statements: ({ sql }) => `
    alter table ${sql}.requests add column hooks text;
    comment on column ${sql}.requests.hooks is 'What hooks did with the request: redact changed; deny-list refused.';`,
  },
  {
    statements: ({ sql }) => `
    create table ${sql}.bodies (
      id text collate "C" primary key,
      at timestamptz not null,
      principal text collate "C" not null,
      source text collate "C",
      key_id text collate "C" not null,
      sealed text not null
    );
    -- Encrypted text cannot be compressed.
    alter table ${sql}.bodies alter column sealed set storage external;
    comment on table ${sql}.bodies is 'Encrypted bodies of requests and responses.';
    comment on column ${sql}.bodies.key_id is 'Names the key that sealed is encrypted with. The key is not in the database.';
    create index bodies_at on ${sql}.bodies (at);
    create index bodies_principal on ${sql}.bodies (${principalPrefix('principal')});`,
  },
  {
    statements: ({ sql }) => `
    create table ${sql}.alerts (
      id text collate "C" primary key,
      text text not null,
      expires_at timestamptz not null
    );
    comment on table ${sql}.alerts is 'Which alerts a process sends or has sent, so that no other one sends them.';
    comment on column ${sql}.alerts.id is 'A digest of what the alert is about.';
    create index alerts_expires_at on ${sql}.alerts (expires_at);`,
  },
]
