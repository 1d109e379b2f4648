import type { TypedConfig } from './config.ts'

/** What a configuration has, in a few lines and without a secret. */
export function summaryOf(config: TypedConfig): string {
  const { providers = {}, models, keys = [], jwt, limits = [], state, cache, idempotency, telemetry } = config
  const names = Object.keys(models)
  const callers = [
    ...(keys.length > 0 ? [plural(keys.length, 'key')] : []),
    ...(jwt ? ['tokens of an identity provider'] : []),
    ...(state?.database === undefined ? [] : ['issued keys']),
  ]
  const lines: readonly (readonly [string, string])[] = [
    ['models', listed(names)],
    ['providers', listed(Object.keys(providers))],
    ['callers', callers.join(', ')],
    ['limits', limits.length === 0 ? 'none for all' : `${plural(limits.length, 'rule')} for all`],
    ['keys, ledger', state?.database === undefined ? 'nowhere' : storeOf(state.database)],
    ['shared by', state?.redis === undefined ? 'this process alone' : 'Redis'],
    [
      'answers',
      [cache && 'cached', idempotency && 'idempotency keys'].filter(Boolean).join(', ') || 'not kept',
    ],
    ['metrics', telemetry?.metrics === false ? 'off' : '/metrics'],
    ['console', config.console ? '/console/' : 'off'],
  ]
  return lines.map(([name, text]) => `  ${name.padEnd(13)} ${text}`).join('\n')
}

const mostNames = 8

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  const shown = names.slice(0, mostNames).join(', ')
  return names.length > mostNames ? `${shown} and ${names.length - mostNames} more` : shown
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** A URL of a server holds a password. */
function storeOf(url: string): string {
  return url.startsWith('postgres') ? 'PostgreSQL' : url
}
