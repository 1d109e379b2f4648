import type { ConfiguredHook } from '../../src/api.ts'

const reads: Readonly<Record<ConfiguredHook['functions'][number], string>> = {
  onRequest: 'requests',
  onChunk: 'streamed responses',
  onResponse: 'complete responses',
  onEnd: 'ended requests',
}

/** Says what a hook reads: `Requests, complete responses`. */
export function readsText({ functions }: Pick<ConfiguredHook, 'functions'>): string {
  const text = functions.map(name => reads[name] ?? name).join(', ')
  return text === '' ? 'Nothing' : text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** Says which requests a hook applies to: `Models small-*; operations generate; some principals`. */
export function scopeText({
  models,
  operations,
  choosesPrincipals,
}: Pick<ConfiguredHook, 'models' | 'operations' | 'choosesPrincipals'>): string {
  const parts = [
    ...(models === undefined ? [] : [`models ${models.join(', ')}`]),
    ...(operations === undefined ? [] : [`operations ${operations.join(', ')}`]),
    ...(choosesPrincipals ? ['some principals'] : []),
  ]
  if (parts.length === 0) return 'All requests'
  const text = parts.join('; ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
