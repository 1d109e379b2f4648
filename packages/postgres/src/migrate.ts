import type { PostgresClient } from './client.ts'
import { migrations } from './migrations.ts'
import { Queries } from './queries.ts'
import { integerColumn, nullableTextColumn, textColumn } from './row-values.ts'
import type { Schema } from './schema.ts'
import { PostgresError } from './store-error.ts'

/** The version of the tables, and the version that this package needs. */
export interface MigrationStatus {
  /** 0 if there are no tables. */
  readonly version: number
  /** A newer version works too: migrations only add. */
  readonly needed: number
}

/**
 * Migrates the tables to the version that this package needs. Each step runs as one statement, which any connection of
 * a pool can run: it is applied completely or not at all, and a second process waits and finds it done. Steps that
 * update rows run in batches. Rejects with `PostgresError` if a statement fails; a later call continues from there.
 */
export async function migrateTables(client: PostgresClient, schema: Schema): Promise<void> {
  const queries = new Queries(client, schema)
  for (const [index, migration] of migrations.entries()) {
    const version = index + 1
    if ('statements' in migration)
      await queries.run(stepStatement(schema, version, migration.statements(schema)))
    else if (!(await isApplied(queries, version))) {
      await updateInBatches(queries, migration.batch(schema))
      await queries.run(stepStatement(schema, version, ''))
    }
  }
}

/** Applies a step and records its version, unless it is recorded. */
function stepStatement({ name, sql }: Schema, version: number, statements: string): string {
  // A schema that an administrator has made needs no right to make schemas.
  return `do $sluice$ begin
  perform pg_advisory_xact_lock(hashtextextended('sluice migrate ${name}', 0));
  if not exists (select from pg_catalog.pg_namespace where nspname = '${name}') then
    create schema ${sql};
  end if;
  if to_regclass('${sql}.migrations') is null then
    create table ${sql}.migrations (version integer primary key, applied_at timestamptz not null default now());
  end if;
  if not exists (select from ${sql}.migrations where version = ${version}) then
    ${statements}
    insert into ${sql}.migrations (version) values (${version});
  end if;
end $sluice$`
}

async function isApplied(queries: Queries, version: number): Promise<boolean> {
  const rows = await queries.run(
    `select 'yes' as applied from ${queries.schema.sql}.migrations where version = ${version}`,
  )
  return rows.length > 0
}

async function updateInBatches(queries: Queries, batch: string): Promise<void> {
  // No id is the empty text: the first batch begins with the first row.
  for (let last: string | null = ''; last !== null; ) {
    const [row] = await queries.run(batch, [last])
    last = nullableTextColumn(row, 'last')
  }
}

/** Rejects with `PostgresError` if the query fails, and with an `Error` if the database's encoding is not UTF8. */
export async function migrationStatus(client: PostgresClient, schema: Schema): Promise<MigrationStatus> {
  const needed = migrations.length
  const queries = new Queries(client, schema)
  const [settings] = await queries.run(`select current_setting('server_encoding') as encoding`)
  const encoding = textColumn(settings, 'encoding')
  if (encoding !== 'UTF8') {
    throw new Error(
      `The encoding of the database is ${encoding}, expected UTF8. Create a database with ENCODING 'UTF8'.`,
    )
  }
  try {
    const [row] = await queries.run(
      `select coalesce(max(version), 0)::text as version from ${schema.sql}.migrations`,
    )
    return { version: integerColumn(row, 'version'), needed }
  } catch (error) {
    if (error instanceof PostgresError && error.unmigrated) return { version: 0, needed }
    throw error
  }
}
