import { hasNodeSqlite, type LibsqlModule } from '@sluice/sqlite'
import type { StateConfig } from '../config/config.ts'
import { projectModule } from '../service/project-module.ts'
import { optionalPackage } from './optional-package.ts'

type Load = typeof projectModule

const libsql = { name: '@libsql/client', entry: '@libsql/client/sqlite3' }

/** Loads `pg`. Rejects with `CommandError` where it is not installed. */
export function loadPg(folder: string, load?: Load): Promise<typeof import('pg')> {
  return optionalPackage({ setting: "state.database 'postgres://...'", name: 'pg' }, folder, load)
}

/** Loads `ioredis`. Rejects with `CommandError` where it is not installed. */
export function loadIoredis(folder: string, load?: Load): Promise<typeof import('ioredis')> {
  return optionalPackage({ setting: 'state.redis', name: 'ioredis' }, folder, load)
}

/** Returns what opens SQLite files. Rejects with `CommandError` where that is a package which is not installed. */
export async function loadSqlite(folder: string, load?: Load): Promise<'node' | LibsqlModule> {
  if (hasNodeSqlite()) return 'node'
  return optionalPackage(
    {
      ...libsql,
      setting: "state.database 'file:...'",
      instead: 'use Node.js 22.13 or newer, which needs no package for SQLite files',
    },
    folder,
    load,
  )
}

/** Returns the name of what opens SQLite files; `undefined` where nothing can. */
export async function sqliteLibrary(
  folder: string,
  load: Load = projectModule,
): Promise<'node:sqlite' | '@libsql/client' | undefined> {
  if (hasNodeSqlite()) return 'node:sqlite'
  const loaded = await load(libsql.entry, folder).catch(() => undefined)
  return loaded === undefined ? undefined : '@libsql/client'
}

/** Loads the packages that a state needs. Rejects with `CommandError` for the first that is not installed. */
export async function loadStatePackages(
  { database, redis }: StateConfig,
  folder: string,
  load?: Load,
): Promise<void> {
  if (database !== undefined) {
    await (/^postgres(?:ql)?:/i.test(database) ? loadPg(folder, load) : loadSqlite(folder, load))
  }
  if (redis !== undefined) await loadIoredis(folder, load)
}
