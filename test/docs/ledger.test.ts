import { join } from 'node:path'
import type { Gateway } from '@sluice/core'
import type { UsageRow } from '@sluice/core/ledger'
import type { Database } from '@sluice/core/store'
import { expect } from 'vitest'
import { ask } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

const here = 'http://sluice.test/v1'

describePage('docs/ledger.md', {
  ledger: async ({ run }) => {
    const url = `file:${join(temporaryFolder(), 'ledger.db')}`
    const { gateway, database } = (await run({ SLUICE_DB: url })).exports as {
      gateway: Gateway
      database: Database
    }
    const asked = { fetch: gateway.fetch, key: 'sk-ann', model: 'small' }
    expect(await ask(here, asked)).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect(await ask(here, { ...asked, key: 'sk-none' })).toMatchObject({ status: 401 })
    await gateway.close()
    const rows = await database.usage({ by: ['key', 'provider', 'day'] })
    expect(rows).toMatchObject([{ by: { key: 'ann', provider: 'local' }, requests: 1, unpriced: 0, open: 0 }])
    const requestsOf = async (key: string) =>
      (await database.usage({ by: [], where: { key, tags: { team: 'search' } } }))[0]?.requests
    expect([await requestsOf('ann'), await requestsOf('bob')]).toEqual([1, 0])
    await database.close()
  },

  usage: async ({ run }, snippet) => {
    const env = { SLUICE_DB: `file:${join(temporaryFolder(), 'ledger.db')}` }
    const { gateway, database } = (await snippet('ledger').run(env)).exports as {
      gateway: Gateway
      database: Database
    }
    for (const stream of [false, true])
      await ask(here, { fetch: gateway.fetch, key: 'sk-ann', model: 'small', stream })
    await gateway.close()
    await database.close()
    const { exports, printed } = await run(env, code => code.replace('2026-11-01', '2020-01-01'))
    const [row, ...others] = exports.rows as readonly UsageRow[]
    expect(others).toEqual([])
    expect(row).toMatchObject({ requests: 2, estimated: 0, open: 0 })
    const { promptTokens = 0, completionTokens = 0, cost = 0 } = row ?? {}
    expect(promptTokens).toBeGreaterThan(0)
    expect(cost).toBeCloseTo((promptTokens * 0.15 + completionTokens * 0.6) / 1e6, 9)
    expect(printed).toEqual([`search small 2 ${promptTokens} ${completionTokens} ${cost} 0`])
  },

  'request-tags': async ({ run }) => {
    const { gateway, database, spendByFeature } = (
      await run({ SLUICE_DB: `file:${join(temporaryFolder(), 'ledger.db')}` })
    ).exports as {
      gateway: Gateway
      database: Database
      spendByFeature: () => Promise<readonly UsageRow[]>
    }
    const send = (path: string, body: object) =>
      gateway.fetch(
        new Request(`${here}/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer sk-ann' },
          body: JSON.stringify({ model: 'small', ...body }),
        }),
      )
    const messages = [{ role: 'user', content: 'Hi' }]
    for (const metadata of [{ feature: 'search', other: 'x' }, { feature: 'y'.repeat(300) }, undefined])
      await (await send('chat/completions', { messages, metadata })).text()
    await (await send('responses', { input: 'Hi', metadata: { feature: 'search' } })).text()
    await gateway.close()
    const rows = await spendByFeature()
    const found = rows.map(({ by, requests }) => [by['tag:metadata.feature'], requests])
    expect(found).toHaveLength(3)
    expect(found).toContainEqual(['search', 2])
    expect(found).toContainEqual([null, 1])
    expect(found).toContainEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/), 1])
    expect(await database.usage({ by: ['tag:metadata.other', 'tag:other'] })).toHaveLength(1)
    await database.close()
  },

  discarded: async ({ run }, snippet) => {
    const env = { SLUICE_DB: `file:${join(temporaryFolder(), 'ledger.db')}` }
    const mirrored = (code: string) =>
      code
        .replace('import { apiKeys,', 'import { apiKeys, mirror,')
        .replace("small: local()('small')", "small: mirror(local()('small'), local()('other'))")
    const { gateway, database } = (await snippet('ledger').run(env, mirrored)).exports as {
      gateway: Gateway
      database: Database
    }
    expect(await ask(here, { fetch: gateway.fetch, key: 'sk-ann', model: 'small' })).toMatchObject({
      status: 200,
    })
    await gateway.close()
    expect(await database.usage({ by: [] })).toMatchObject([{ requests: 1 }])
    await database.close()
    const { exports, printed } = await run(env)
    const [row, ...others] = exports.discarded as readonly UsageRow[]
    expect(others).toEqual([])
    expect(row).toMatchObject({ by: { kind: 'shadow', provider: 'local' }, requests: 1 })
    expect(printed).toEqual([`shadow local 1 ${row?.cost}`])
  },

  delete: async ({ run }) => {
    const { printed } = await run({ SLUICE_DB: `file:${join(temporaryFolder(), 'ledger.db')}` })
    expect(printed).toEqual(['1 0 0 0 '])
  },

  'own-ledger': async ({ run }) => {
    const { gateway, open, closed } = (await run()).exports as {
      gateway: Gateway
      open: ReadonlyMap<string, string>
      closed: readonly string[]
    }
    const got = await ask(here, { fetch: gateway.fetch, key: 'sk-ann' })
    expect(got).toMatchObject({ status: 200 })
    expect(open.size).toBe(0)
    expect(closed).toEqual([expect.stringMatching(/^ann completed [1-9]\d* [1-9]\d*$/)])
  },
})
