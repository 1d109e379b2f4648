import type { GatewayOptions } from '../config.ts'
import { defaultIntake, defaultPacing, defaultTimeouts } from './defaults.ts'

/** Every option that cannot be used: its name, what was got, what was expected. */
export function faultsOf<Host>(options: GatewayOptions<Host>): string[] {
  const faults: string[] = []
  const wrong = (name: string, got: unknown, expected: string) => {
    faults.push(`${name}: got ${shown(got)}, expected ${expected}`)
  }
  for (const name of ['authenticate', 'route'] as const) {
    if (typeof options[name] !== 'function') wrong(name, options[name], 'a function')
  }
  for (const name of ['authorize', 'observe', 'transport', 'now', 'id', 'random'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function')
      wrong(name, options[name], 'a function')
  }
  if (options.limit !== undefined && typeof options.limit?.admit !== 'function') {
    wrong('limit', options.limit, "a limiter, such as requests(60).per('minute')")
  }
  if (options.base !== undefined && !/^(\/[\w.~-]+)+$/.test(options.base)) {
    wrong('base', options.base, "a path that begins with '/' and does not end with one, such as '/v1'")
  }
  oneOf('validation', options.validation, ['schema', 'live'], wrong)
  oneOf('unknownParameters', options.unknownParameters, ['pass', 'reject'], wrong)
  if (
    options.maxAttempts !== undefined &&
    !(Number.isInteger(options.maxAttempts) && options.maxAttempts >= 1)
  ) {
    wrong('maxAttempts', options.maxAttempts, 'a whole number from 1')
  }
  for (const group of ['intake', 'timeouts', 'stream'] as const) {
    for (const [name, value] of Object.entries(options[group] ?? {})) {
      const known =
        name in (group === 'intake' ? defaultIntake : group === 'timeouts' ? defaultTimeouts : defaultPacing)
      if (!known) wrong(`${group}.${name}`, value, 'no such option')
      else if (value !== undefined && !(Number.isFinite(value) && value > 0)) {
        wrong(`${group}.${name}`, value, 'a number above 0')
      }
    }
  }
  return faults
}

function oneOf(
  name: string,
  got: unknown,
  allowed: readonly string[],
  wrong: (name: string, got: unknown, expected: string) => void,
): void {
  if (got !== undefined && !allowed.includes(got as string)) {
    wrong(name, got, allowed.map(value => `'${value}'`).join(' or '))
  }
}

function shown(value: unknown): string {
  return typeof value === 'string'
    ? `'${value}'`
    : typeof value === 'object' && value !== null
      ? 'an object'
      : String(value)
}
