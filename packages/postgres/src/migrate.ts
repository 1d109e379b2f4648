import type { PostgresClient } from './client.ts'
import { migrations } from './migrations.ts'
import { Queries } from './queries.ts'
import { countIn, textIn } from './row.ts'
import type { Schema } from './schema.ts'
import { PostgresError } from './store-error.ts'

/** Where the tables are, and where this package needs them. */
export interface MigrationStatus {
  /** 0 where there are none. */
  readonly version: number
  /** Tables that are newer than needed will do: new versions only add. */
  readonly needed: number
}

/**
 * Brings the tables to the version that this package needs. It is one statement, which any connection of a pool can
 * run: all of it is done or nothing, and who comes second waits and finds it done.
 */
export async function migrateTables(client: PostgresClient, schema: Schema): Promise<void> {
  const { name, sql } = schema
  const steps = migrations.map(
    (migration, index) => `
  if not exists (select from ${sql}.migrations where version = ${index + 1}) then
    ${migration(schema)}
    insert into ${sql}.migrations (version) values (${index + 1});
  end if;`,
  )
  // A schema that an administrator has made needs no right to make schemas.
  const text = `do $sluice$ begin
  perform pg_advisory_xact_lock(hashtextextended('sluice migrate ${name}', 0));
  if not exists (select from pg_catalog.pg_namespace where nspname = '${name}') then
    create schema ${sql};
  end if;
  if to_regclass('${sql}.migrations') is null then
    create table ${sql}.migrations (version integer primary key, applied_at timestamptz not null default now());
  end if;${steps.join('')}
end $sluice$`
  await new Queries(client, schema).run(text)
}

/** Throws `PostgresError` where the database cannot be asked, and an `Error` where it does not keep every text. */
export async function migrationStatus(client: PostgresClient, schema: Schema): Promise<MigrationStatus> {
  const needed = migrations.length
  const queries = new Queries(client, schema)
  const [settings] = await queries.run(`select current_setting('server_encoding') as encoding`)
  const encoding = textIn(settings, 'encoding')
  if (encoding !== 'UTF8') {
    throw new Error(
      `The database keeps text as ${encoding}, which has not every character. Make one with the encoding UTF8.`,
    )
  }
  try {
    const [row] = await queries.run(
      `select coalesce(max(version), 0)::text as version from ${schema.sql}.migrations`,
    )
    return { version: countIn(row, 'version'), needed }
  } catch (error) {
    if (error instanceof PostgresError && error.unmigrated) return { version: 0, needed }
    throw error
  }
}
