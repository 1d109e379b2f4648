import type { Observer, PrincipalId, StoreEvent } from '@sluice/core'
import type { RequestLogRepository } from '@sluice/core/store'
import {
  BatchWriter,
  type BatchWriterOptions,
  type RequestLogLoss,
  type RequestLogStats,
} from './batch-writer.ts'
import type { LogClock } from './log-clock.ts'
import { type RequestLogRetention, Retention } from './retention.ts'

/** How a log reports what fails. */
export interface LogReportOptions {
  /** The time after which a write counts as failing, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /**
   * Receives a `store` event when the database begins to fail and when it works again, and `log_rows_lost` or `log_bodies_lost` when
   * something is lost.
   */
  readonly observe?: Observer | undefined
  /** Called at most once per second if something is lost. Requests are never affected. */
  readonly onLost?: ((loss: RequestLogLoss) => void) | undefined
}

/** What every log does while it is open. */
export interface OpenLog {
  /** Deletes everything of a principal, also what waits, and returns how many rows were stored. */
  deletePrincipal(principal: PrincipalId): Promise<number>
  /** Deletes what the retention does not allow, and returns how many rows. This happens every 10 minutes by itself. */
  applyRetention(): Promise<number>
  /** Counts since the log was created. */
  stats(): RequestLogStats
  /** Resolves when everything is written, or after 5 seconds. */
  flush(): Promise<void>
  /** Flushes, and stops. Close the gateway before it, and the database after it. Safe to call twice. */
  close(): Promise<void>
}

interface OpenLogOptions<Item, Row>
  extends Omit<BatchWriterOptions<Item, Row>, 'timeoutMs' | 'changed' | 'lost'> {
  readonly clock: LogClock
  /** The names of the log in events. */
  readonly events:
    | { readonly store: 'log'; readonly lost: 'log_rows_lost' }
    | { readonly store: 'bodies'; readonly lost: 'log_bodies_lost' }
  readonly repository: Pick<RequestLogRepository, 'deleteBefore' | 'deletePrincipal'> &
    Partial<Pick<RequestLogRepository, 'excessBefore'>>
  readonly retention: RequestLogRetention
  readonly reports: LogReportOptions
}

/** Opens a log: starts its writer and its retention. Returns how items are added, and what every log does. */
export function openLog<Item, Row>({
  events,
  repository,
  retention,
  reports,
  ...writing
}: OpenLogOptions<Item, Row>): { readonly add: (item: Item) => void; readonly log: OpenLog } {
  const { timeoutMs = 5_000, observe, onLost } = reports
  const changed = (state: StoreEvent['state'], error: unknown) =>
    safely(() => observe?.({ type: 'store', store: events.store, state, error }))
  const writer = new BatchWriter<Item, Row>({
    ...writing,
    timeoutMs,
    changed,
    lost(loss) {
      safely(() => onLost?.(loss))
      safely(() => observe?.({ type: events.lost, ...loss }))
    },
  })
  const sweeps = new Retention(repository, retention, writing.clock, error => changed('failing', error))
  return {
    add: item => writer.add(item),
    log: {
      async deletePrincipal(principal) {
        await writer.flush()
        return repository.deletePrincipal(principal)
      },
      applyRetention: () => sweeps.run(),
      stats: () => writer.stats,
      flush: () => writer.flush(),
      close() {
        sweeps.stop()
        return writer.close()
      },
    },
  }
}

/** Errors of a callback must not stop the writer. */
function safely(run: () => void): void {
  try {
    run()
  } catch {
    // The owner's own.
  }
}
