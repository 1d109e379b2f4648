import type { Connection } from './connection.ts'
import { migrations as known, type Migration } from './migrations.ts'

/** Returns the version of a database: 0 without tables of Sluice. */
export async function schemaVersion(connection: Connection): Promise<number> {
  const tables = await connection.read(
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sluice_migration'",
  )
  if (tables.length === 0) return 0
  const [row] = await connection.read('SELECT coalesce(max(version), 0) AS version FROM sluice_migration')
  return Number(row?.version)
}

/** The schema version that this package needs. */
export const requiredVersion = known.length

/**
 * Migrates a database to the newest version. Two processes can call it at the same time. Rejects with
 * `SchemaVersionError` if the database is of a newer version.
 */
export async function migrate(
  connection: Connection,
  migrations: readonly Migration[] = known,
): Promise<void> {
  const version = await schemaVersion(connection)
  expectNotNewer(version, migrations.length)
  if (version === migrations.length) return
  await connection.write([
    `CREATE TABLE IF NOT EXISTS sluice_migration (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL
    ) STRICT`,
  ])
  for (const [index, { name, statements }] of migrations.entries()) {
    if (index < version) continue
    const note = {
      sql: "INSERT INTO sluice_migration VALUES (?, ?, CAST(unixepoch('subsec') * 1000 AS INTEGER))",
      args: [index + 1, name],
    }
    try {
      // The version's row comes first: if another process was faster, it fails, and the statements do not run.
      await connection.write([note, ...statements])
    } catch (error) {
      if ((await schemaVersion(connection)) <= index) throw error
    }
  }
}

/** The version of the tables is not the one that this package needs. The message has the fix. */
export class SchemaVersionError extends Error {}

/** Throws `SchemaVersionError` if the database is of a newer version than this package knows. */
export function expectNotNewer(version: number, needed = requiredVersion): void {
  if (version > needed) {
    throw new SchemaVersionError(
      `The database is of version ${version}, this @sluice/sqlite knows versions up to ${needed}. Update the package.`,
    )
  }
}

/** Throws `SchemaVersionError` if the database must be migrated first. */
export function expectMigrated(version: number, url: string): void {
  expectNotNewer(version)
  if (version < requiredVersion) {
    throw new SchemaVersionError(
      `The database is of version ${version}, expected ${requiredVersion}. Run \`npx sluice-sqlite migrate --url ${url}\`, or remove \`migrate: false\`.`,
    )
  }
}
