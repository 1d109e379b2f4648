import { ConfigurationError, unknownOption } from '../errors/configuration-error.ts'
import { isTarget } from '../validation/is-target.ts'

/**
 * The entries of a route, and the options after them where there are any. Throws `ConfigurationError` for an option that does not
 * exist.
 */
export function withOptions<Options extends object>(
  owner: string,
  given: readonly unknown[],
  known: readonly (keyof Options & string)[],
): readonly [entries: readonly unknown[], options: Options | undefined] {
  const last = given.at(-1)
  if (typeof last !== 'object' || last === null || Array.isArray(last) || looksLikeTarget(last)) {
    return [given, undefined]
  }
  const unknown = Object.keys(last).find(name => !(known as readonly string[]).includes(name))
  if (unknown !== undefined) {
    throw new ConfigurationError(owner, [unknownOption([unknown], Reflect.get(last, unknown), known)])
  }
  return [given.slice(0, -1), last as Options]
}

/** Also one that is broken, which is told of as what it was meant to be. */
function looksLikeTarget(value: object): boolean {
  return isTarget(value) || 'provider' in value || 'model' in value
}
