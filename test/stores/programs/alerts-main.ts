import { createAlerts } from '@sluice/alerts'
import type { BudgetEvent } from '@sluice/core'
import { redisCacheStore } from '@sluice/redis'
import { Redis } from 'ioredis'

/** A process with alerts: it reads shares of a budget line by line, and says when each is dealt with. */
const [redis = '', url = ''] = process.argv.slice(2)
const client = new Redis(redis)
const alerts = createAlerts({
  webhooks: [{ url, allowPrivate: true }],
  store: redisCacheStore(client),
  onFailure: ({ reason }) => console.log(`failed ${reason}`),
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
  process.send?.('done')
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
