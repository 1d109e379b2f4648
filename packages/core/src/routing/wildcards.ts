import { configurationError } from '../errors/configuration-error.ts'
import { isVendor, linkRoute, routeNodeOf } from './combined-route.ts'
import type { EntryPath } from './entry-checks.ts'
import type { RouteNode } from './linked-route.ts'

/** What stands under the names that fit patterns. */
export interface Wildcards {
  /** What a pattern has for a name, or the other name that its function gave for it; `undefined` where none does. */
  find(name: string): { readonly pattern: string; readonly made: RouteNode | string } | undefined
  /** The entries that are the same for all names, by their patterns. */
  readonly fixed: readonly (readonly [pattern: string, part: RouteNode])[]
}

interface Wildcard {
  readonly head: string
  readonly tail: string
  readonly made: RouteNode | ((name: string) => RouteNode | string | undefined)
}

/** More than any vendor's name for a model has. */
const longestName = 256

export function isPattern(name: string): boolean {
  return name.includes('*')
}

/** Entries by patterns. Throws `ConfigurationError` for what cannot be one, and for a pattern that has not one `*`. */
export function wildcards(entries: readonly (readonly [pattern: string, entry: unknown])[]): Wildcards {
  const known = entries
    .map(([pattern, entry]) => wildcard(pattern, entry))
    // The longest first; of two of the same length the one that says more of the beginning.
    .sort((one, other) => lengthOf(other) - lengthOf(one) || other.head.length - one.head.length)
  return {
    find(name) {
      for (const { head, tail, made } of known) {
        const under = name.slice(head.length, name.length - tail.length)
        if (!name.startsWith(head) || !name.endsWith(tail) || !isModelName(under)) continue
        const found = typeof made === 'function' ? made(under) : made
        return found === undefined ? undefined : { pattern: `${head}*${tail}`, made: found }
      }
      return undefined
    },
    fixed: known.flatMap(({ head, tail, made }) =>
      typeof made === 'function' ? [] : [[`${head}*${tail}`, made] as const],
    ),
  }
}

function wildcard(pattern: string, entry: unknown): Wildcard {
  const [head = '', tail = '', ...more] = pattern.split('*')
  const place = { source: 'models()', path: [pattern] }
  if (more.length > 0) throw configurationError(place.source, place.path, entry, "a name with one '*'")
  return { head, tail, made: partMaker(entry, place) }
}

function partMaker(entry: unknown, place: EntryPath): Wildcard['made'] {
  if (isVendor(entry)) return name => linkRoute(entry(name), place)
  if (typeof entry !== 'function' || isRoute(entry)) return linkRoute(entry, place)
  return name => {
    const made: unknown = entry(name)
    if (made === undefined || (typeof made === 'string' && made !== '')) return made
    return linkRoute(made, place)
  }
}

/** A route, and no function that makes entries: it is one of this library's, or says what it has. */
function isRoute(entry: object): boolean {
  return routeNodeOf(entry) !== undefined || 'targets' in entry || 'list' in entry
}

function lengthOf({ head, tail }: Wildcard): number {
  return head.length + tail.length
}

/**
 * Whether a vendor's name for a model may look like this. Callers choose it, and it becomes part of a vendor's URL or
 * body: it is a name, and leads nowhere else.
 */
function isModelName(name: string): boolean {
  if (name.length > longestName || !/^[\w.:/@+~=,-]+$/.test(name)) return false
  return !name.split('/').some(piece => piece === '.' || piece === '..')
}
