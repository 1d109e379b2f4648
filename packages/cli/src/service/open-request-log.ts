import type { Observer } from '@sluice/core'
import { matchesPattern } from '@sluice/core/adapter'
import type { Database } from '@sluice/core/store'
import { type BodyLog, createBodyLog, createRequestLog, type RequestLog } from '@sluice/log'
import type { BodyLogConfig, LogConfig, TypedConfig } from '../config/config.ts'

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

/** Opens the bodies of a configuration in its database. Lost bodies are counted and reported. */
export function openBodyLog(
  { key, previousKeys, retentionDays, models, keys, maxBytes }: BodyLogConfig,
  { bodyLog }: Pick<Database, 'bodyLog'>,
  context: { readonly log: (text: string) => void; readonly observe: Observer },
): BodyLog {
  let lost = 0
  const isAmong = (patterns: readonly string[] | undefined, name: string) =>
    patterns === undefined || patterns.some(pattern => matchesPattern(pattern, name))
  return createBodyLog({
    repository: bodyLog,
    key,
    previousKeys,
    retentionMs: Math.ceil(retentionDays * dayMs),
    maxBytes,
    wants: ({ model, principal }) => isAmong(models, model) && isAmong(keys, principal.id),
    observe: context.observe,
    onLost: ({ rows, reason }) => {
      lost += rows
      context.log(
        `The log of bodies has lost those of ${rows} requests (${reason}), ${lost} since the start.`,
      )
    },
  })
}

/** Returns what a configuration says of bodies; `undefined` if it stores none. */
export function bodyLogConfig({ log }: Pick<TypedConfig, 'log'>): BodyLogConfig | undefined {
  return log ? log.bodies || undefined : undefined
}

/** Says whether bodies are stored, and for how long; `undefined` if none are. */
export function bodyStorageText(config: Pick<TypedConfig, 'log'>): string | undefined {
  const settings = bodyLogConfig(config)
  if (settings === undefined) return undefined
  const { retentionDays, models, keys } = settings
  const some = [...(models === undefined ? [] : ['models']), ...(keys === undefined ? [] : ['keys'])]
  const days = `${retentionDays} day${retentionDays === 1 ? '' : 's'}`
  const which = some.length === 0 ? '' : `, of some ${some.join(' and ')}`
  return `stored encrypted in the database for ${days}${which}`
}
