import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { openPostgres } from '@sluice/postgres'
import { openSqlite } from '@sluice/sqlite'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startReceiver, type WebhookReceiver } from '../../packages/alerts/src/webhook-receiver.ts'
import { holdFile } from '../resilience/chaos/stores/hold-file.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { PostgresServer } from './servers/postgres-server.ts'
import { RedisServer } from './servers/redis-server.ts'

const processes = 8
const budgets = 4
const folder = mkdtempSync(join(tmpdir(), 'sluice-alerts-'))
const program = join(folder, 'alerts.mjs')

beforeAll(async () => {
  // The driver has native code, and is a dependency of that package only.
  const manifest = createRequire(import.meta.url).resolve('@sluice/sqlite/package.json')
  const driver = createRequire(manifest).resolve('@libsql/client/sqlite3')
  await build({
    entryPoints: [fileURLToPath(new URL('programs/alerts-main.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@sluice/source'],
    external: ['pg-native'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
    plugins: [
      {
        name: 'driver',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^@libsql\/client\/sqlite3$/ }, () => ({
            path: pathToFileURL(driver).href,
            external: true,
          })),
      },
    ],
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Eight processes that share a store and a webhook. */
async function start(storeUrl: string) {
  const receiver: WebhookReceiver = await startReceiver()
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) child.kill()
    await receiver.close()
  })
  for (let left = processes; left > 0; left--) children.push(fork(program, [storeUrl, receiver.url]))
  await Promise.all(children.map(child => once(child, 'message')))
  return {
    /** All observe how many dollars of each budget are spent, or a target. Returns the reasons of failures of each process. */
    async observe(what: number | 'open' | 'closed'): Promise<string[][]> {
      const done = children.map(child => once(child, 'message'))
      for (const child of children) child.send(what)
      return (await Promise.all(done)).map(([failures]) => failures)
    },
    received: () => receiver.received.map(({ body }) => JSON.parse(body)),
  }
}

/** Each alert once. */
async function expectOnce(storeUrl: string): Promise<void> {
  const { observe, received } = await start(storeUrl)
  for (const what of [5, 8, 10, 'open', 'closed'] as const) {
    expect(await observe(what)).toEqual(Array.from({ length: processes }, () => []))
  }
  const alerts = received()
  const targets = alerts.splice(3 * budgets).map(({ kind }) => kind)
  expect(targets).toEqual(['target_down', 'target_recovered'])
  expect(alerts).toHaveLength(3 * budgets)
  for (const threshold of [0.5, 0.8, 1]) {
    expect(alerts.filter(alert => alert.threshold === threshold)).toHaveLength(budgets)
  }
  expect(new Set(alerts.map(({ id }) => id)).size).toBe(3 * budgets)
}

/** Once while the store works, and from each process while it does not. */
async function expectEachWithout(storeUrl: string, fail: () => Promise<unknown>): Promise<void> {
  const { observe, received } = await start(storeUrl)
  await observe(5)
  expect(received()).toHaveLength(budgets)
  await fail()
  for (const failures of await observe(8)) {
    expect(failures.length).toBeGreaterThanOrEqual(budgets)
    expect(new Set(failures)).toEqual(new Set(['The store of alerts does not respond.']))
  }
  expect(received().filter(({ threshold }) => threshold === 0.8)).toHaveLength(processes * budgets)
}

describe('alerts of eight processes', () => {
  describeWithRedis('that share a Redis', () => {
    let server: RedisServer
    beforeAll(async () => {
      server = await RedisServer.start()
    })
    afterAll(() => server?.stop())

    it('are sent once each', () => expectOnce(server.url))
  })

  describe('that share an SQLite file', () => {
    const fresh = async (name: string) => {
      const path = join(folder, name)
      const url = `file:${path}`
      await (await openSqlite({ url })).close()
      return { path, url }
    }

    it('are sent once each', async () => expectOnce((await fresh('once.db')).url))

    it('are sent by each process while another one holds the file', async () => {
      const { path, url } = await fresh('held.db')
      let release = async () => {}
      onTestFinished(() => release())
      await expectEachWithout(url, async () => {
        release = await holdFile(path)
      })
    })
  })

  describeWithPostgres('that share a PostgreSQL', () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await PostgresServer.start()
    })
    afterAll(() => server?.dispose())

    const fresh = async () => {
      const name = await server.database()
      await (await openPostgres(server.pool(name), { migrate: true })).close()
      return server.url(name)
    }

    it('are sent once each', async () => expectOnce(await fresh()))

    it('are sent by each process while the server is down', async () => {
      await expectEachWithout(await fresh(), () => server.stop())
    })
  })
})
