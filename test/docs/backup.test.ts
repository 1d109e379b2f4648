import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgres } from '@sluice/postgres'
import { openSqlite } from '@sluice/sqlite'
import { findClosedPort } from '@sluice/testing'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { describeWithPostgres } from '../stores/servers/describe-with-postgres.ts'
import { describeWithRedis } from '../stores/servers/describe-with-redis.ts'
import { PostgresServer, postgresBin } from '../stores/servers/postgres-server.ts'
import { RedisServer } from '../stores/servers/redis-server.ts'
import { describePage } from './runner/describe-page.ts'
import { root } from './runner/markdown.ts'
import { runCommands } from './runner/run-commands.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

const hasSqlite = isInstalled('sqlite3')
if (!hasSqlite) console.warn('sqlite3 is not installed: the backup of an SQLite file is not tried.')

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ['-version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

let postgres: PostgresServer
let redis: RedisServer

/** Backs a database with a key up while a gateway has it open, restores it into another one, and looks for the key. */
async function overPostgres(dump: string, restore: string): Promise<void> {
  const [from, to] = [await postgres.database(), await postgres.database()]
  const folders = [postgresBin!]
  const cwd = temporaryFolder()
  const env = { DATABASE_URL: postgres.url(from) }
  const pool = postgres.pool(from)
  const running = await openPostgres(pool, { migrate: true })
  onTestFinished(() => running.close())
  const { key, stored } = await running.keys.issue({ name: 'Ann' })
  await runCommands(dump, { cwd, env, folders })
  await running.keys.delete(stored.id)
  // Into the same database, and into one without tables.
  for (const database of [from, to]) {
    const [restoring = '', migrating = ''] = restore.trim().split('\n')
    const target = { DATABASE_URL: postgres.url(database) }
    await runCommands(restoring, { cwd, env: target, folders })
    expect(await runCommands(migrating, { cwd: root, env: target })).toContain('nothing to do')
    const restored = await openPostgres(postgres.pool(database))
    onTestFinished(() => restored.close())
    const [digest = ''] = restored.keys.digests(key)
    expect(await restored.keys.find(digest)).toMatchObject({ id: stored.id })
  }
}

async function overSqlite(backup: string, restore: string): Promise<void> {
  const cwd = temporaryFolder()
  const url = `file:${join(cwd, 'sluice.db')}`
  const running = await openSqlite({ url })
  const { key, stored } = await running.keys.issue({ name: 'Ann' })
  // What was written is not in the file itself.
  expect(existsSync(join(cwd, 'sluice.db-wal'))).toBe(true)
  await runCommands(backup, { cwd })
  await running.keys.delete(stored.id)
  await running.close()
  await runCommands(restore, { cwd })
  const restored = await openSqlite({ url })
  onTestFinished(() => restored.close())
  const [digest = ''] = restored.keys.digests(key)
  expect(await restored.keys.find(digest)).toMatchObject({ id: stored.id })
}

async function overRedis(backup: string, restore: string): Promise<void> {
  const cwd = temporaryFolder()
  const before = new Redis(redis.url)
  onTestFinished(() => before.disconnect())
  await before.set('sluice:counter', '42')
  await runCommands(backup, { cwd, env: { REDIS_URL: redis.url } })
  const port = await findClosedPort()
  const [start = '', persist = ''] = restore.trim().split('\n')
  const env = { REDIS_PORT: String(port) }
  await runCommands(start, { cwd, env })
  onTestFinished(
    async () => void (await runCommands('redis-cli -p "$REDIS_PORT" shutdown nosave', { cwd, env })),
  )
  const after = new Redis(port, '127.0.0.1')
  onTestFinished(() => after.disconnect())
  expect(await after.get('sluice:counter')).toBe('42')
  await runCommands(persist, { cwd, env })
  expect(await after.config('GET', 'appendonly')).toEqual(['appendonly', 'yes'])
}

describeWithRedis('what needs Redis', () => {
  describeWithPostgres('and PostgreSQL', () => {
    beforeAll(async () => {
      redis = await RedisServer.start()
      postgres = await PostgresServer.start()
    })
    afterAll(async () => {
      await postgres.dispose()
      await redis.stop()
    })

    /** Each restore is tried with its backup. */
    const tried = async () => {}
    describePage('docs/backup.md', {
      dump: async ({ code }, others) => overPostgres(code, others('restore').code),
      restore: tried,
      sqlite: async ({ code }, others) => {
        if (hasSqlite) await overSqlite(code, others('sqlite-restore').code)
      },
      'sqlite-restore': tried,
      redis: async ({ code }, others) => overRedis(code, others('redis-restore').code),
      'redis-restore': tried,
    })
  })
})
