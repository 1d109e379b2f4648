/** One step from an empty database to what this package needs. */
export interface Migration {
  readonly name: string
  readonly statements: readonly string[]
}

/** In their order: the first leads to version 1. One that was published is never changed. */
export const migrations: readonly Migration[] = [
  {
    name: 'keys and records',
    statements: [
      // Times are milliseconds since 1970. Lists and objects are JSON.
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
      // Of an open record the counts are what is charged if nothing more is heard of it. Cost is in billionths of a
      // US dollar. Only a closing gives a status: what is closed without one was left by a crash.
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
    // What was there before are requests.
    statements: ["ALTER TABLE sluice_record ADD COLUMN kind TEXT NOT NULL DEFAULT 'request'"],
  },
  {
    name: 'models that answers name',
    statements: ['ALTER TABLE sluice_record ADD COLUMN response_model TEXT'],
  },
]
