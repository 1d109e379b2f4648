import type { RedisServer } from '../../stores/servers/redis-server.ts'
import type { LedgerDatabase } from './stores/ledger-database.ts'

/** A store that is taken away in a round. */
export interface Trouble {
  /** As the gateway's events name it. */
  readonly store: 'limits' | 'ledger'
  /** For those who read the figures. */
  readonly what: string
  /** Whether it is still away when the process is told to stop, and when it is killed. */
  readonly throughStop: boolean
  readonly throughKill: boolean
  /** Resolves to what brings the store back. */
  begin(): Promise<() => Promise<void>>
}

/** The same trouble for two rounds: one that ends with a stop and one with a kill. Every fifth time there is none. */
export function troubleOf(round: number, redis: RedisServer, database: LedgerDatabase): Trouble | undefined {
  const turn = Math.floor(round / 2)
  const place = turn % 5
  if (place === 0) return undefined
  const again = 2 * Math.floor(turn / 5) + (place > 2 ? 1 : 0)
  return place % 2 === 1 ? redisTrouble(redis, again) : databaseTrouble(database, again)
}

function redisTrouble(redis: RedisServer, again: number): Trouble {
  const freezes = again % 2 === 1
  return {
    store: 'limits',
    what: `Redis ${freezes ? 'frozen' : 'killed'}`,
    // What was used meanwhile is in memory alone.
    throughStop: false,
    throughKill: again % 4 < 2,
    async begin() {
      if (freezes) {
        redis.freeze()
        return async () => redis.thaw()
      }
      await redis.kill()
      return () => redis.restart()
    },
  }
}

function databaseTrouble(database: LedgerDatabase, again: number): Trouble {
  const { name, outages, journalled } = database
  const outage = outages[again % outages.length] ?? outages[0]
  return {
    store: 'ledger',
    what: `${name} ${outage}`,
    // A connection to a server that stands still does not end.
    throughStop: journalled && outage !== 'frozen' && again % 4 < 3,
    throughKill: journalled && again % 4 < 3,
    begin: () => database.takeAway(outage),
  }
}
