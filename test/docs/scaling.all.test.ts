import type { Gateway } from '@sluice/core'
import type { Database } from '@sluice/core/store'
import { afterAll, beforeAll, expect } from 'vitest'
import { describeWithPostgres } from '../stores/servers/describe-with-postgres.ts'
import { describeWithRedis } from '../stores/servers/describe-with-redis.ts'
import { PostgresServer } from '../stores/servers/postgres-server.ts'
import { RedisServer } from '../stores/servers/redis-server.ts'
import { ask, type Got } from './runner/ask.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { fencesOf, root } from './runner/markdown.ts'
import { runCommands } from './runner/run-commands.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

const page = 'docs/scaling.md'
const migrateLine = fencesOf(page).find(({ name }) => name === 'migrate')?.code ?? ''
let postgres: PostgresServer
let redis: RedisServer

/** The command as the page has it. */
function migrate(databaseUrl: string): Promise<string> {
  expect(migrateLine).toContain('npx sluice-postgres ')
  return runCommands(migrateLine, { cwd: root, env: { DATABASE_URL: databaseUrl } })
}

/** Tells one program to stop, as a signal would, and waits until it has. */
async function startAndLearnToStop(start: () => Promise<unknown>): Promise<() => Promise<void>> {
  const before = new Set(process.listeners('SIGTERM'))
  await start()
  const [heard, ...others] = process.listeners('SIGTERM').filter(listener => !before.has(listener))
  if (heard === undefined || others.length > 0) throw new Error('Expected one listener to SIGTERM.')
  process.removeListener('SIGTERM', heard)
  return async () => (heard as () => Promise<void>)()
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

    describePage(page, {
      migrate: async () => {
        const url = postgres.url(await postgres.database())
        expect(await migrate(url)).toMatch(/^Schema 'sluice': version 0 to \d+\.\n$/)
        expect(await migrate(url)).toContain('nothing to do')
      },

      issue: async ({ run }) => {
        const url = postgres.url(await postgres.database())
        await expect(run({ DATABASE_URL: url })).rejects.toThrow('npx sluice-postgres migrate')
        await migrate(url)
        const { printed } = await run({ DATABASE_URL: url })
        expect(printed).toEqual([expect.stringMatching(/^sluice_\w{12}_\w{49}$/)])
      },

      processes: async (snippet, others) => {
        const database = await postgres.database()
        const env = { DATABASE_URL: postgres.url(database), REDIS_URL: redis.url }
        const folder = temporaryFolder()
        await migrate(env.DATABASE_URL)
        const [key = ''] = (await others('issue').run(env)).printed
        const stops: (() => Promise<void>)[] = []
        const started = async (port: number, of: Snippet) => {
          let url = ''
          const edit = (code: string) =>
            code
              .replace("'./sluice-journal'", JSON.stringify(folder))
              .replace("60).per('minute')", "3).per('day')")
          stops.push(
            await startAndLearnToStop(async () => {
              const running = await of.run({ ...env, PORT: String(port) }, edit)
              url = `${await running.url(port)}/v1`
            }),
          )
          return url
        }
        const urls = [await started(3000, snippet), await started(3001, snippet)]
        // Its client of Redis connects by itself: until then what spends from a budget is a 503.
        const connected = async (url: string): Promise<Got> => {
          for (;;) {
            const got = await ask(url, { key })
            if (got.status !== 503) return got
            expect(got.code).toBe('limiter_unavailable')
          }
        }
        const got = [await connected(urls[0]!), await connected(urls[1]!)]
        got.push(await ask(urls[0]!, { key, stream: true }), await ask(urls[1]!, { key }))
        expect(got.map(({ status }) => status)).toEqual([200, 200, 200, 429])
        expect(got[1]?.headers.get('x-ratelimit-remaining-requests')).toBe('1')
        for (const stop of stops) await stop()
        await expect(fetch(urls[0]!)).rejects.toThrow()
        const rows = await postgres.run(
          "select tags->>'team' as team, closed_at is not null as closed, nano_dollars > 0 as priced from sluice.requests",
          database,
        )
        expect(rows).toEqual(Array(3).fill({ team: 'search', closed: true, priced: true }))
      },
    })

    describePage('packages/postgres/README.md', {
      '': async ({ run }) => {
        const url = postgres.url(await postgres.database())
        await migrate(url)
        const folder = JSON.stringify(temporaryFolder())
        const running = await run({ DATABASE_URL: url }, code =>
          code.replace("'./sluice-journal'", folder).replace('const pool', 'export const pool'),
        )
        const { database, gateway, pool } = running.exports as {
          database: Database
          gateway: Gateway
          pool: { end(): Promise<void> }
        }
        const [key = ''] = running.printed[0]?.split(' ') ?? []
        const asked = { key, fetch: gateway.fetch }
        expect(await ask('http://there.test/v1', asked)).toMatchObject({ status: 200 })
        await gateway.close()
        expect(await database.usage({ by: [] })).toMatchObject([{ requests: 1, open: 0 }])
        await database.close()
        await pool.end()
      },
    })
  })
})
