import { keyStart } from './key-start.ts'
import type { Schema } from './schema.ts'

/** What brings the tables from one version to the next, first to last. What was published is not changed any more. */
export const migrations: readonly ((schema: Schema) => string)[] = [
  ({ sql }) => `
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
    create index requests_principal on ${sql}.requests (${keyStart('principal')}, opened_at);
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
  ({ sql }) => `
    alter table ${sql}.requests add column kind text not null default 'request';
    comment on column ${sql}.requests.kind is 'Of what: a request, or a hedge or a shadow beside one, whose answer its caller did not get.';`,
  ({ sql }) => `
    alter table ${sql}.requests add column response_model text;
    comment on column ${sql}.requests.response_model is 'The model that the answer names, which may be another than upstream_model.';`,
]
