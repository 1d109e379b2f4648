import { createAlerts } from '@sluice/alerts'
import type { BudgetEvent } from '@sluice/core'
import type { AlertStore } from '@sluice/core/store'
import { openPostgres } from '@sluice/postgres'
import { redisCacheStore } from '@sluice/redis'
import { openSqlite } from '@sluice/sqlite'
import { Redis } from 'ioredis'
import pg from 'pg'

// A process with alerts, which shares a store with others. It observes the share of five budgets that it is sent, and sends the
// reasons of failures once it has dealt with them.
const [storeUrl = '', webhookUrl = ''] = process.argv.slice(2)
let failures: string[] = []

async function openStore(): Promise<AlertStore> {
  if (storeUrl.startsWith('redis:')) return redisCacheStore(new Redis(storeUrl))
  if (storeUrl.startsWith('file:')) return (await openSqlite({ url: storeUrl })).alertStore
  const pool = new pg.Pool({ connectionString: storeUrl, max: 2 })
  pool.on('error', () => {})
  return (await openPostgres(pool)).alertStore
}

const alerts = createAlerts({
  webhooks: [{ url: webhookUrl, allowPrivate: true }],
  store: await openStore(),
  onFailure: ({ reason }) => failures.push(reason),
})

process.on('message', async (spent: number) => {
  for (let counter = 0; counter < 5; counter++) {
    const event: BudgetEvent = {
      type: 'budget',
      rule: "budget(10, 'usd').per('ever')",
      counter: `counter ${counter}`,
      subject: {},
      window: 'ever',
      limit: 10,
      spent,
      refused: false,
      dryRun: false,
    }
    alerts.observe(event)
  }
  await alerts.flush()
  process.send?.(failures)
  failures = []
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
