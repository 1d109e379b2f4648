import type { Gateway } from '@sluice/core'
import { ConfigurationError } from '@sluice/core/adapter'

/**
 * Throws `ConfigurationError` unless `value` has these functions of a gateway, so that a mount without one fails
 * when it is created and not at each request.
 *
 * @param source - The function that received the gateway: `serve()`.
 */
export function expectGateway(source: string, value: unknown, functions: readonly (keyof Gateway)[]): void {
  const given = (typeof value === 'object' || typeof value === 'function') && value !== null
  const missing = given
    ? functions.filter(name => typeof (value as Partial<Gateway>)[name] !== 'function')
    : functions
  if (missing.length === 0) return
  const received = given ? `a value without the functions ${missing.join(', ')}` : describe(value)
  throw new ConfigurationError(source, [
    { path: [], received, expected: 'a gateway, as createGateway({ ... }) returns it' },
  ])
}

function describe(value: unknown): string {
  return value === undefined || value === null ? String(value) : `a ${typeof value}`
}
