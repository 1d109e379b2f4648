/**
 * The tables of the request log. Each index serves a filter, in the order of time: see `plan` in `request-log-search.ts`. Those of
 * failures are partial, as most requests have none. The columns after the time are those of further conditions, which are then
 * checked without the rows; so is the text of an error, and `bytes` is summed.
 */
export const requestLogMigration: { readonly name: string; readonly statements: readonly string[] } = {
  name: 'request log',
  statements: [
    // The columns repeat what searches need of `entry`, a `LoggedRequest` as JSON.
    `CREATE TABLE sluice_request_log (
      row INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      at INTEGER NOT NULL,
      client_request_id TEXT,
      principal TEXT,
      source TEXT,
      end_user TEXT,
      model TEXT,
      provider TEXT,
      operation TEXT NOT NULL,
      dialect TEXT NOT NULL,
      outcome TEXT NOT NULL,
      status INTEGER NOT NULL,
      error TEXT,
      error_text TEXT,
      bytes INTEGER NOT NULL,
      entry TEXT NOT NULL
    ) STRICT`,
    'CREATE INDEX sluice_request_log_at ON sluice_request_log (at, bytes)',
    `CREATE INDEX sluice_request_log_client_request_id ON sluice_request_log (client_request_id, at)
      WHERE client_request_id IS NOT NULL`,
    'CREATE INDEX sluice_request_log_end_user ON sluice_request_log (end_user, at) WHERE end_user IS NOT NULL',
    'CREATE INDEX sluice_request_log_principal ON sluice_request_log (principal, at, model)',
    'CREATE INDEX sluice_request_log_source ON sluice_request_log (source, at)',
    'CREATE INDEX sluice_request_log_model ON sluice_request_log (model, at, provider)',
    'CREATE INDEX sluice_request_log_provider ON sluice_request_log (provider, at)',
    'CREATE INDEX sluice_request_log_dialect ON sluice_request_log (dialect, at, provider)',
    `CREATE INDEX sluice_request_log_outcome ON sluice_request_log (outcome, at, principal, model)
      WHERE outcome <> 'completed'`,
    `CREATE INDEX sluice_request_log_status ON sluice_request_log (status, at, principal, model)
      WHERE status >= 400`,
    `CREATE INDEX sluice_request_log_class ON sluice_request_log (status / 100, at, principal, model)
      WHERE status >= 400`,
    `CREATE INDEX sluice_request_log_error ON sluice_request_log (error, at, principal, model)
      WHERE error IS NOT NULL`,
    `CREATE INDEX sluice_request_log_error_text ON sluice_request_log (at, principal, model, error_text)
      WHERE error_text IS NOT NULL`,
    `CREATE TABLE sluice_request_log_tag (
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      at INTEGER NOT NULL,
      row INTEGER NOT NULL,
      PRIMARY KEY (name, value, at, row)
    ) STRICT, WITHOUT ROWID`,
  ],
}
