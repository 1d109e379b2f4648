import type { AnswerStore, Database, LimitStore, Observer, SharedHealth } from '@sluice/core'
import { memoryAnswers } from '@sluice/core'
import type { StateConfig } from '../config/config.ts'
import { openDatabase } from './open-database.ts'
import { openRedis } from './open-redis.ts'

/** What is kept beyond a request: in this process, in a database, in Redis. */
export interface State {
  /** Issued keys, the ledger and its sums; `undefined` where none is configured. */
  readonly database: Database | undefined
  readonly limitStore: LimitStore | undefined
  readonly answers: AnswerStore
  readonly health: SharedHealth | undefined
  /** Writes what waits, and closes every connection. Safe to call twice. */
  close(): Promise<void>
}

/** What state is opened in. */
export interface StateWorld {
  /** Where relative paths begin. */
  readonly cwd: string
  /** Hears of connections that fail, in words without a secret. */
  readonly tell: (text: string) => void
  readonly observe?: Observer | undefined
}

export interface StateOptions {
  /** Leaves out what only a service that answers needs: Redis. Default: all is opened. */
  readonly only?: 'database'
  /** Whether a file that is not there is made; else there is no database. Default: yes. */
  readonly create?: boolean
}

/**
 * Opens what a configuration keeps. Rejects with `CommandFault` for what cannot be opened, which says how to mend it and
 * holds no password; then nothing stays open.
 */
export async function openState(
  config: StateConfig | undefined,
  world: StateWorld,
  options: StateOptions = {},
): Promise<State> {
  const opened = config?.database === undefined ? undefined : await openDatabase(config, world, options)
  const redis = await (config?.redis === undefined || options.only === 'database'
    ? undefined
    : openRedis(config, world).catch(async (error: unknown) => {
        await opened?.close()
        throw error
      }))
  let closing: Promise<void> | undefined
  return {
    database: opened?.database,
    limitStore: redis?.limitStore,
    answers: redis?.answers ?? memoryAnswers(),
    health: redis?.health,
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
