import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Alerts } from '@sluice/alerts'
import type { Gateway } from '@sluice/core'
import type { Database } from '@sluice/core/store'
import type { RequestLog } from '@sluice/log'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ask } from './runner/ask.ts'
import { type Check, describePage } from './runner/describe-page.ts'
import { root } from './runner/markdown.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

/**
 * What each package says of itself: one snippet that can be pasted, and how it is installed. What needs a server of
 * its own has a test of its own.
 */
const serves: Check = async ({ run }) => {
  const running = await run()
  expect(await ask(`${await running.url(8787)}/v1`)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
}

const snippets: Record<string, Check> = {
  alerts: async ({ run }) => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warned.mockRestore())
    const { alerts, gateway } = (await run({ SLUICE_WEBHOOK: '' })).exports as {
      alerts: Alerts
      gateway: Gateway
    }
    for (const _ of [1, 2]) await ask('http://there.test/v1', { fetch: gateway.fetch })
    await gateway.close()
    await alerts.close()
    expect(String(warned.mock.calls[0]?.[0])).toMatch(
      /^50 % of the budget of key me of this day is spent: \$2\.00 of \$3\.00/,
    )
  },
  console: async ({ run }) => {
    const running = await run({ SLUICE_ADMIN_KEY: 'correct-horse-battery' })
    const url = await running.url(8787)
    expect(await ask(`${url}/v1`)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect((await fetch(`${url}/console/`)).status).toBe(200)
  },
  core: async ({ run }) => {
    const { fetch } = (await run()).exports.default as { fetch(request: Request): Promise<Response> }
    expect(await ask('http://there.test/v1', { fetch })).toMatchObject({ status: 200, text: '12 * 7 = 84' })
  },
  express: serves,
  hooks: serves,
  jwt: serves,
  koa: serves,
  log: async ({ run }) => {
    const running = await run({ SLUICE_DB: `file:${join(temporaryFolder(), 'log.db')}` })
    const { database, gateway, log } = running.exports as {
      database: Database
      gateway: Gateway
      log: RequestLog
    }
    onTestFinished(() => database.close())
    const asked = { fetch: gateway.fetch }
    expect(await ask('http://there.test/v1', asked)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    await gateway.close()
    await log.close()
    expect((await log.search({ where: { key: 'me' } })).rows).toHaveLength(1)
  },
  node: serves,
  prices: serves,
  providers: async ({ run }) => {
    await run({ OPENAI_API_KEY: 'sk-any', ANTHROPIC_API_KEY: 'sk-any' })
  },
  sqlite: async ({ run }) => {
    const running = await run({ SLUICE_DB: `file:${join(temporaryFolder(), 'kept.db')}` })
    const { database, gateway } = running.exports as { database: Database; gateway: Gateway }
    onTestFinished(() => database.close())
    const [key = ''] = running.printed[0]?.split(' ') ?? []
    const asked = { key, fetch: gateway.fetch }
    expect(await ask('http://there.test/v1', asked)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    await gateway.close()
    expect(await database.usage({ by: [] })).toMatchObject([{ requests: 1, open: 0 }])
  },
  telemetry: async ({ run }) => {
    const url = await (await run()).url(8787)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('sluice_requests_total')
  },
  testing: async ({ run }) => {
    expect((await run()).printed).toHaveLength(1)
  },
}

for (const [name, check] of Object.entries(snippets))
  describePage(`packages/${name}/README.md`, { '': check })

it('has a test for each package', () => {
  const elsewhere = ['cli', 'postgres', 'redis']
  expect([...Object.keys(snippets), ...elsewhere].sort()).toEqual(readdirSync(join(root, 'packages')).sort())
})
