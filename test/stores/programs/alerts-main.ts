import { createAlerts } from '@sluice/alerts'
import type { GatewayEvent, TargetEvent } from '@sluice/core'
import type { AlertStore } from '@sluice/core/store'
import { openPostgres } from '@sluice/postgres'
import { redisCacheStore } from '@sluice/redis'
import { openSqlite } from '@sluice/sqlite'
import { Redis } from 'ioredis'
import pg from 'pg'

// A process with alerts, which shares a store with others. It observes what it is sent: how much of four budgets is spent, or the
// state of a target. It sends the reasons of failures once it has dealt with that.
const [storeUrl = '', webhookUrl = ''] = process.argv.slice(2)
let failures: string[] = []

async function openStore(): Promise<AlertStore> {
  if (storeUrl.startsWith('redis:')) return redisCacheStore(new Redis(storeUrl))
  if (storeUrl.startsWith('file:')) return (await openSqlite({ url: storeUrl })).alertStore
  const pool = new pg.Pool({ connectionString: storeUrl, max: 2 })
  pool.on('error', () => {})
  return (await openPostgres(pool)).alertStore
}

const store = await openStore()
const alerts = createAlerts({
  webhooks: [{ url: webhookUrl, allowPrivate: true }],
  store,
  onFailure: ({ reason }) => failures.push(reason),
})

const eventsOf = (message: number | TargetEvent['state']): readonly GatewayEvent[] => {
  if (typeof message !== 'number') {
    const scope = message === 'closed' ? undefined : 'all'
    const health = { waitMs: 0, reason: undefined, scope, unavailableMs: 0, error: undefined } as const
    return [{ type: 'target', provider: 'north', model: 'small', state: message, ...health }]
  }
  return Array.from({ length: 4 }, (_, counter) => ({
    type: 'budget',
    rule: "budget(10, 'usd').per('ever')",
    counter: `counter ${counter}`,
    subject: {},
    window: 'ever',
    limit: 10,
    spent: message,
    refused: false,
    dryRun: false,
  }))
}

process.on('message', async (message: number | TargetEvent['state']) => {
  for (const event of eventsOf(message)) alerts.observe(event)
  // Each gives up after 5 seconds, and what waits for a store that is away may take longer.
  for (let left = 5; left > 0; left--) await alerts.flush()
  process.send?.(failures)
  failures = []
})
process.on('disconnect', () => process.exit(0))
// With a connection that is open.
await store.add({ owner: 'ready', name: 'ready' }, 'ready', { ttlMs: 1 })
process.send?.('ready')
