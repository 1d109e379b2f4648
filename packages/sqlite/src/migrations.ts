import { requestLogMigration } from './request-log-migration.ts'

/*
 * Units: `sluice_record.cost` is in billionths of a US dollar, as is `requests.nano_dollars` of `@sluice/postgres`.
 * Times are milliseconds since 1970.
 *
 * `sluice_key.limits` is not migrated: core's `keyStore` maps the `shadow` of older rules when it reads a key.
 */

/** One step from an empty database to what this package needs. */
export interface Migration {
  readonly name: string
  readonly statements: readonly string[]
}

/** Applied in this order; the first leads to version 1. A published migration is never changed. */
export const migrations: readonly Migration[] = [
  {
    name: 'keys and records',
    statements: [
      // Lists and objects are JSON.
      `CREATE TABLE sluice_key (
        row INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        models TEXT,
        tags TEXT,
        limits TEXT,
        disabled INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        last_used_at INTEGER
      ) STRICT`,
      `CREATE TABLE sluice_key_secret (
        row INTEGER PRIMARY KEY,
        digest TEXT NOT NULL UNIQUE,
        key_id TEXT NOT NULL REFERENCES sluice_key (id) ON DELETE CASCADE,
        created_at INTEGER NOT NULL,
        expires_at INTEGER
      ) STRICT`,
      'CREATE INDEX sluice_key_secret_key ON sluice_key_secret (key_id)',
      // The counts of an open record are its charge if the process crashes. Only a closing sets `status`: a closed
      // record without one was left by a crash.
      `CREATE TABLE sluice_record (
        row INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        request_id TEXT NOT NULL,
        principal TEXT NOT NULL,
        tags TEXT NOT NULL,
        model TEXT NOT NULL,
        stream INTEGER NOT NULL,
        opened_at INTEGER NOT NULL,
        seen_at INTEGER NOT NULL,
        closed_at INTEGER,
        outcome TEXT,
        status INTEGER,
        provider TEXT,
        upstream_model TEXT,
        attempts INTEGER,
        prompt_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        reasoning_tokens INTEGER NOT NULL,
        cost INTEGER,
        estimated INTEGER NOT NULL,
        first_byte_ms INTEGER,
        total_ms INTEGER
      ) STRICT`,
      'CREATE INDEX sluice_record_opened ON sluice_record (opened_at)',
      'CREATE INDEX sluice_record_principal ON sluice_record (principal, opened_at)',
      'CREATE INDEX sluice_record_open ON sluice_record (seen_at) WHERE closed_at IS NULL',
    ],
  },
  {
    name: 'kinds of records',
    // Records of version 1 are requests.
    statements: ["ALTER TABLE sluice_record ADD COLUMN kind TEXT NOT NULL DEFAULT 'request'"],
  },
  {
    name: 'models that answers name',
    statements: ['ALTER TABLE sluice_record ADD COLUMN response_model TEXT'],
  },
  {
    name: 'outcome client_disconnected',
    // One statement: SQLite has one writer, and 2 million records, of which 5 % change, take 1.5 s on two cores.
    statements: ["UPDATE sluice_record SET outcome = 'client_disconnected' WHERE outcome = 'client_aborted'"],
  },
  {
    name: 'operations, dialects, sources and end users',
    // Records of older versions are chat completions. Processes of an older version go on writing such records.
    statements: [
      "ALTER TABLE sluice_record ADD COLUMN operation TEXT NOT NULL DEFAULT 'generate'",
      "ALTER TABLE sluice_record ADD COLUMN dialect TEXT NOT NULL DEFAULT 'chat'",
      'ALTER TABLE sluice_record ADD COLUMN source TEXT',
      'ALTER TABLE sluice_record ADD COLUMN end_user TEXT',
    ],
  },
  {
    name: 'responses',
    statements: [
      // The text comes last: it fills further pages, which nothing else reads. `owner` is a digest.
      `CREATE TABLE sluice_response (
        row INTEGER PRIMARY KEY,
        owner TEXT NOT NULL,
        id TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        text TEXT NOT NULL,
        UNIQUE (owner, id)
      ) STRICT`,
      'CREATE INDEX sluice_response_owner ON sluice_response (owner, expires_at, row, bytes)',
      'CREATE INDEX sluice_response_expires ON sluice_response (expires_at)',
      `CREATE TABLE sluice_response_item (
        owner TEXT NOT NULL,
        id TEXT NOT NULL,
        response INTEGER NOT NULL,
        PRIMARY KEY (owner, id)
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX sluice_response_item_response ON sluice_response_item (response)',
      // SQLite cascades deletes only if the connection turns foreign keys on.
      `CREATE TRIGGER sluice_response_deleted AFTER DELETE ON sluice_response BEGIN
        DELETE FROM sluice_response_item WHERE response = old.row;
      END`,
    ],
  },
  requestLogMigration,
  {
    name: 'hooks of records',
    statements: ['ALTER TABLE sluice_record ADD COLUMN hooks TEXT'],
  },
  {
    name: 'bodies of requests',
    statements: [
      // The encrypted text comes last: it fills further pages, which nothing else reads.
      `CREATE TABLE sluice_bodies (
        row INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        at INTEGER NOT NULL,
        principal TEXT NOT NULL,
        source TEXT,
        key_id TEXT NOT NULL,
        sealed TEXT NOT NULL
      ) STRICT`,
      'CREATE INDEX sluice_bodies_at ON sluice_bodies (at)',
      'CREATE INDEX sluice_bodies_principal ON sluice_bodies (principal, source)',
    ],
  },
  {
    name: 'claims of alerts',
    statements: [
      // `id` is a digest. The text says whether the alert is being sent or was sent.
      `CREATE TABLE sluice_alert (
        id TEXT PRIMARY KEY,
        text TEXT NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX sluice_alert_expires ON sluice_alert (expires_at)',
    ],
  },
]
