import { configurationError } from '../errors/configuration-error.ts'
import { isVendor, linkRoute, routeNodeOf } from './combined-route.ts'
import type { EntryPath } from './entry-checks.ts'
import type { RouteNode } from './linked-route.ts'

/** Resolves names by patterns. */
export interface Wildcards {
  /** Returns the entry of the pattern that matches a name, or another name that its function returned; otherwise `undefined`. */
  find(name: string): { readonly pattern: string; readonly made: RouteNode | string } | undefined
  /** The entries that do not depend on the name, by pattern. */
  readonly fixed: readonly (readonly [pattern: string, part: RouteNode])[]
}

interface Wildcard {
  readonly head: string
  readonly tail: string
  readonly made: RouteNode | ((name: string) => RouteNode | string | undefined)
}

/** No vendor has longer model names. */
const maxNameLength = 256

export function isPattern(name: string): boolean {
  return name.includes('*')
}

/** Prepares patterns. Throws `ConfigurationError` for an invalid entry, and for a pattern with more than one `*`. */
export function wildcards(entries: readonly (readonly [pattern: string, entry: unknown])[]): Wildcards {
  const known = entries
    .map(([pattern, entry]) => wildcard(pattern, entry))
    // The longest pattern first; of equal ones, that with the longer prefix.
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
  const at = { source: 'models()', path: [pattern] }
  if (more.length > 0) throw configurationError(at.source, at.path, entry, "a name with one '*'")
  return { head, tail, made: partMaker(entry, at) }
}

function partMaker(entry: unknown, at: EntryPath): Wildcard['made'] {
  if (isVendor(entry)) return name => linkRoute(entry(name), at)
  if (typeof entry !== 'function' || isRoute(entry)) return linkRoute(entry, at)
  return name => {
    const made: unknown = entry(name)
    if (made === undefined || (typeof made === 'string' && made !== '')) return made
    return linkRoute(made, at)
  }
}

/** Returns whether a function is a route, rather than one that returns entries. */
function isRoute(entry: object): boolean {
  return routeNodeOf(entry) !== undefined || 'targets' in entry || 'list' in entry
}

function lengthOf({ head, tail }: Wildcard): number {
  return head.length + tail.length
}

/** Returns whether a text can be a model name. Callers choose it and it becomes part of upstream URLs, so path traversal is rejected. */
function isModelName(name: string): boolean {
  if (name.length > maxNameLength || !/^[\w.:/@+~=,-]+$/.test(name)) return false
  return !name.split('/').some(piece => piece === '.' || piece === '..')
}
