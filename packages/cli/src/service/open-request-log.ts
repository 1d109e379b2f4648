import type { Observer } from '@sluice/core'
import type { Database } from '@sluice/core/store'
import { createRequestLog, type RequestLog } from '@sluice/log'
import type { LogConfig } from '../config/config.ts'

const dayMs = 86_400_000

/** Opens the request log of a configuration in its database. Lost rows are counted and reported. */
export function openRequestLog(
  { maxAgeDays, maxRows, maxBytes, errorMessages }: LogConfig,
  { requestLog }: Database,
  context: { readonly log: (text: string) => void; readonly observe: Observer },
): RequestLog {
  let lost = 0
  return createRequestLog({
    repository: requestLog,
    retention: {
      ...(maxAgeDays !== undefined && { maxAgeMs: Math.ceil(maxAgeDays * dayMs) }),
      maxRows,
      maxBytes,
    },
    errorMessages,
    observe: context.observe,
    onLost: ({ rows, reason }) => {
      lost += rows
      context.log(`The request log has lost ${rows} rows (${reason}), ${lost} since the start.`)
    },
  })
}
