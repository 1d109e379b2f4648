import { ConfigurationError } from '@sluice/core'
import type { ApiKeys } from './provider-keys.ts'

/**
 * Returns the given key or keys, else the first non-empty environment variable. An empty variable counts as not set; an empty
 * given key does not, and is rejected by the later check.
 *
 * Throws `ConfigurationError`, which names the variables, if there is no key.
 */
export function keyOrEnvironment(
  given: ApiKeys | undefined,
  owner: string,
  variables: readonly [string, ...string[]],
  what = 'a key',
): ApiKeys {
  const key = given ?? variableOf(variables)
  if (key !== undefined) return key
  const names = variables.join(' or ')
  const expected = `${what}, here or in the environment variable ${names}`
  throw new ConfigurationError(`${owner}()`, [{ path: ['apiKey'], received: 'undefined', expected }])
}

/** Returns the first non-empty environment variable; `undefined` without one, or without an environment. */
export function variableOf(names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = read(name)
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return undefined
}

/** Edge runtimes may have no `process`; Deno throws without permission to read a variable. */
function read(name: string): unknown {
  try {
    return (globalThis as Host).process?.env?.[name]
  } catch {
    return undefined
  }
}

interface Host {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
}
