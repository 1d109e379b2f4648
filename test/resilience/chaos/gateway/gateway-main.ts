import { createGateway, limits, models, type Observer, priceTable } from '@sluice/core'
import { bearerToken } from '@sluice/core/keys'
import type { Database } from '@sluice/core/store'
import { serve } from '@sluice/node'
import { openPostgres } from '@sluice/postgres'
import { redisLimitStore } from '@sluice/redis'
import { openSqlite } from '@sluice/sqlite'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { GatewayNotice, GatewaySettings } from './gateway-settings.ts'
import { prices, rulesOf, vendor } from './terms.ts'

// The gateway under test: a process of its own, to be stopped and killed. It is put together and it stops as any
// service does that shares its limits and keeps its records.

const settings = JSON.parse(process.argv[2] ?? '') as GatewaySettings
const { redisPort, upstreamPort, concurrent, drainMs, heartbeatMs, silentMs, leaseMs } = settings

function tell(notice: GatewayNotice): void {
  // Whoever listened may have gone: then there is nobody to tell.
  if (process.connected) process.send?.(notice, () => {})
}
const alarm = (kind: string) => (cause: unknown) => {
  tell({ tell: 'alarm', what: `${kind}: ${cause instanceof Error ? cause.stack : String(cause)}` })
}
process.on('uncaughtException', alarm('uncaught exception'))
process.on('unhandledRejection', alarm('unhandled rejection'))
process.on('warning', alarm('warning'))
process.on('disconnect', () => process.exit())
// It has to end by itself when it is told to stop.
process.channel?.unref()

const observe: Observer = event => {
  if (event.type === 'store') tell({ tell: 'store', store: event.store, state: event.state })
  else if (event.type === 'internal_error') alarm('internal error')(event.error)
  else if (event.type === 'end' && event.outcome === 'internal_error') alarm('internal error')(event.error)
}

const redis = new Redis(redisPort, { enableOfflineQueue: false, maxRetriesPerRequest: 1 })
redis.on('error', () => {})
const { database, release } = await openDatabase()

const gateway = createGateway({
  // Each request has a key of its own, so that what is written of it can be found in every log.
  authenticate: request => {
    const id = bearerToken(request)
    return id === undefined ? undefined : { id }
  },
  // Each request says itself what its upstream does: none may change another one's answer.
  retry: false,
  breaker: false,
  route: models({ paid: vendor(upstreamPort), free: vendor(upstreamPort) }),
  prices: priceTable(prices),
  limits: limits(rulesOf(concurrent), {
    store: redisLimitStore(redis),
    instances: 1,
    leaseMs,
    // A machine that has much to do is no outage.
    storeTimeoutMs: 500,
    observe,
  }),
  ledger: database.ledger,
  observe,
})

const serving = await serve(gateway, { port: 0, drainMs })
process.once('SIGTERM', () => {
  void (async () => {
    await serving.close()
    await database.close()
    redis.disconnect()
    await release()
  })()
})
tell({ tell: 'listening', port: serving.port })

async function openDatabase(): Promise<{ database: Database; release: () => Promise<void> }> {
  const options = { heartbeatMs, silentMs, observe }
  const { database: where } = settings
  if (where.kind === 'sqlite') {
    return { database: await openSqlite({ url: where.url }, options), release: async () => {} }
  }
  const pool = new pg.Pool({ connectionString: where.url })
  pool.on('error', () => {})
  const opened = await openPostgres(pool, { ...options, journal: where.journal })
  return { database: opened, release: () => pool.end() }
}
