import { bodyStorageText } from '../service/open-request-log.ts'
import type { TypedConfig } from './config.ts'
import { responseStorageText } from './response-storage.ts'

/** Summarizes a configuration in a few lines, without secrets. */
export function configSummary(config: TypedConfig, prices: string): string {
  const { providers = {}, models, keys = [], jwt, limits = [], hooks = [] } = config
  const { state, cache, idempotency, telemetry } = config
  const names = Object.keys(models)
  const bodies = bodyStorageText(config)
  const callers = [
    ...(keys.length > 0 ? [plural(keys.length, 'key')] : []),
    ...(jwt ? ['JWTs'] : []),
    ...(state?.database === undefined ? [] : ['created keys']),
  ]
  const lines: readonly (readonly [string, string])[] = [
    ['models', listed(names)],
    ['providers', listed(Object.keys(providers))],
    ['callers', callers.join(', ')],
    ['limits', limits.length === 0 ? 'no global rules' : plural(limits.length, 'global rule')],
    ['hooks', listed(hooks.map(hookName))],
    ['prices', prices],
    ['keys, ledger', state?.database === undefined ? 'none' : storeOf(state.database)],
    ['shared state', state?.redis === undefined ? 'not shared' : 'Redis'],
    ['responses', responseStorageText(config)],
    ['cache', [cache && 'cached', idempotency && 'idempotency keys'].filter(Boolean).join(', ') || 'off'],
    ['metrics', telemetry?.metrics === false ? 'off' : '/metrics'],
    ['request log', config.log ? storeOf(state?.database ?? 'none') : 'off'],
    ...(bodies === undefined ? [] : [['bodies', bodies] as const]),
    ['console', config.console ? '/console/' : 'off'],
  ]
  return lines.map(([name, text]) => `  ${name.padEnd(13)} ${text}`).join('\n')
}

const maxNames = 8

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  const shown = names.slice(0, maxNames).join(', ')
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** Ready-made hooks have a type, and others a name. */
function hookName(hook: NonNullable<TypedConfig['hooks']>[number]): string {
  return hook.name ?? ('type' in hook ? hook.type : '')
}

/** A URL of a server holds a password. */
function storeOf(url: string): string {
  return url.startsWith('postgres') ? 'PostgreSQL' : url
}
