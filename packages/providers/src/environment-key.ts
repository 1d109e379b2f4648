import { ConfigurationError } from '@sluice/core'

/**
 * A key: the one that is given, else that of the first variable of the environment that is set, as the vendor's own
 * library reads it. A variable that is empty counts as not set; a key that is given and empty does not: it is an error
 * where it is checked.
 *
 * Throws `ConfigurationError`, which names the variables, where there is neither.
 */
export function keyOrEnvironment(
  given: string | undefined,
  owner: string,
  variables: readonly [string, ...string[]],
  what = 'a key',
): string {
  const key = given ?? variableOf(variables)
  if (key !== undefined) return key
  const names = variables.join(' or ')
  const expected = `${what}, here or in the environment variable ${names}`
  throw new ConfigurationError(`${owner}()`, [{ path: ['apiKey'], received: 'undefined', expected }])
}

/** The first of some variables of the environment that is set and not empty; `undefined` where there is no environment. */
export function variableOf(names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = read(name)
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return undefined
}

/** Edge runtimes may have no `process`; Deno throws for a variable that may not be read. */
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
