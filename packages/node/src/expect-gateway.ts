import type { Gateway } from '@sluice/core'

/**
 * Throws `TypeError` unless `value` has these functions of a gateway, so that a mount without one fails when
 * it is made and not at each request. `caller` is what the user called.
 */
export function expectGateway(caller: string, value: unknown, functions: readonly (keyof Gateway)[]): void {
  const given = (typeof value === 'object' || typeof value === 'function') && value !== null
  const missing = given
    ? functions.filter(name => typeof (value as Partial<Gateway>)[name] !== 'function')
    : functions
  if (missing.length === 0) return
  const got = given ? `something without the functions ${missing.join(', ')}` : describe(value)
  throw new TypeError(`${caller}: got ${got}; pass what createGateway({ ... }) returned.`)
}

function describe(value: unknown): string {
  return value === undefined || value === null ? String(value) : `a ${typeof value}`
}
