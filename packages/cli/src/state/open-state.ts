import type { CacheStore, LimitStore, SharedHealth } from '@sluice/core'
import {
  type AlertStore,
  type Database,
  followedCacheStore,
  memoryCacheStore,
  memoryResponseStore,
  type ResponseStore,
} from '@sluice/core/store'
import type { StateConfig } from '../config/config.ts'
import type { ResponseStorage } from '../config/response-storage.ts'
import { openDatabase } from './open-database.ts'
import { openRedis } from './open-redis.ts'
import type { StateContext, StateOptions } from './state-context.ts'

/** What is kept beyond a request: in this process, in a database, in Redis. */
export interface State {
  /** Issued keys, the ledger and its sums; `undefined` where none is configured. */
  readonly database: Database | undefined
  readonly limitStore: LimitStore | undefined
  readonly cacheStore: CacheStore
  /** Decides which process sends an alert: in Redis, else in the database, else in this process. */
  readonly alertStore: AlertStore
  readonly health: SharedHealth | undefined
  /** Opens the store of responses. Throws `Error` if it is in a server or a database that is not open. */
  responseStore(storage: Pick<ResponseStorage, 'store'> & Partial<ResponseStorage>): ResponseStore
  /** Resolves once Redis is connected, or after some seconds without a connection. */
  connected(): Promise<void>
  /** Writes what waits, and closes every connection. Safe to call twice. */
  close(): Promise<void>
}

/**
 * Opens what a configuration keeps. Rejects with `CommandError` for what cannot be opened, which says how to mend it and
 * holds no password; then nothing stays open.
 */
export async function openState(
  config: StateConfig | undefined,
  context: StateContext,
  options: StateOptions = {},
): Promise<State> {
  const opened = config?.database === undefined ? undefined : await openDatabase(config, context, options)
  const redis = await (config?.redis === undefined || options.only === 'database'
    ? undefined
    : openRedis(config, context).catch(async (error: unknown) => {
        await opened?.close()
        throw error
      }))
  const cacheStore = redis?.cacheStore ?? followedCacheStore(memoryCacheStore())
  let closing: Promise<void> | undefined
  return {
    database: opened?.database,
    limitStore: redis?.limitStore,
    cacheStore,
    alertStore: redis?.cacheStore ?? opened?.database.alertStore ?? cacheStore,
    health: redis?.health,
    responseStore: ({ store, ttlMs, maxResponses, maxBytes }) => {
      if (store === 'memory') {
        return memoryResponseStore(onlyDefined({ ttlMs, maxResponses, maxBytes }))
      }
      const bounds = { ttlMs, maxResponsesPerOwner: maxResponses, maxBytesPerOwner: maxBytes }
      const opener = store === 'redis' ? redis : opened
      if (opener === undefined) throw new Error(`Responses cannot be stored: state.${store} is not open.`)
      return opener.responseStore(onlyDefined(bounds))
    },
    connected: async () => redis?.connected(),
    close: () => {
      closing ??= (async () => {
        try {
          await opened?.close()
        } finally {
          redis?.close()
        }
      })()
      return closing
    },
  }
}

function onlyDefined(options: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(options).filter((entry): entry is [string, number] => entry[1] !== undefined),
  )
}
