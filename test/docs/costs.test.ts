import { join } from 'node:path'
import { createConsole } from '@sluice/console'
import { apiKeys, createGateway, type Gateway, models, priceTable, withEndpoints } from '@sluice/core'
import type { UsageRow } from '@sluice/core/ledger'
import { local } from '@sluice/providers'
import { openSqlite } from '@sluice/sqlite'
import { expect } from 'vitest'
import { ask } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

describePage('docs/costs.md', {
  spend: async ({ run }) => {
    const SLUICE_DB = `file:${join(temporaryFolder(), 'spend.db')}`
    const database = await openSqlite({ url: SLUICE_DB })
    const gateway = createGateway({
      authenticate: apiKeys([
        { id: 'ann', key: 'sk-ann', tags: { team: 'search' } },
        { id: 'bob', key: 'sk-bob' },
      ]),
      route: models({ small: local()('small') }),
      prices: priceTable({ small: { input: 0.15, output: 0.6 } }),
      ledger: database.ledger,
    })
    for (const key of ['sk-ann', 'sk-bob'])
      await ask('http://sluice.test/v1', { fetch: gateway.fetch, key, model: 'small' })
    await gateway.close()
    await database.close()
    const { exports, printed } = await run({ SLUICE_DB })
    const [row, ...others] = exports.rows as readonly UsageRow[]
    expect(others).toEqual([])
    const day = new Date().toISOString().slice(0, 10)
    expect(row).toMatchObject({ by: { day, key: 'ann', user: null }, requests: 1, unpriced: 0 })
    expect(printed).toEqual([`${day} ann  1 ${row?.cost} 0`])
  },

  own: async ({ code }) => {
    const database = await openSqlite({ url: ':memory:' })
    const board = createConsole({
      adminKey: 'correct-horse-battery',
      usage: query => database.usage(query),
      ownUsage: true,
    })
    const gateway = createGateway({
      authenticate: apiKeys([{ id: 'ann', key: 'sk-ann' }]),
      route: models({ small: local()('small') }),
      ledger: database.ledger,
    })
    const service = withEndpoints(gateway, [board.endpoint(gateway)])
    await ask('http://sluice.test/v1', { fetch: gateway.fetch, key: 'sk-ann', model: 'small' })
    await database.ledger.flush?.()
    const url = /"(http[^"]+)"/.exec(code)![1]!
    const answer = await service.fetch(new Request(url, { headers: { authorization: 'Bearer sk-ann' } }))
    expect(await answer.json()).toMatchObject({ rows: [{ by: { model: 'small', user: null }, requests: 1 }] })
    await gateway.close()
    board.close()
    await database.close()
  },

  cost: async ({ run }) => {
    const { gateway } = (await run()).exports as { gateway: Gateway }
    const ask = async (key: string) => {
      const answer = await gateway.fetch(
        new Request('http://sluice.test/v1/chat/completions', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hi' }] }),
        }),
      )
      return { header: answer.headers.get('x-sluice-cost'), usage: (await answer.json()).usage }
    }
    const { header, usage } = await ask('sk-ann')
    expect(usage.cost).toBeCloseTo((usage.prompt_tokens * 0.15 + usage.completion_tokens * 0.6) / 1e6, 12)
    expect(header).toBe(String(usage.cost))
    const other = await ask('sk-bob')
    expect([other.header, other.usage.cost]).toEqual([null, undefined])
    await gateway.close()
  },
})
