import { configurationError } from '../errors/configuration-error.ts'
import { isVendor, madeFrom, partOf } from './combined-route.ts'
import type { EntryPlace } from './entry-checks.ts'
import type { Part } from './step.ts'

/** What stands under the names that fit patterns. */
export interface Wildcards {
  /** What a pattern has for a name, or the other name that its function gave for it; `undefined` where none does. */
  find(name: string): { readonly pattern: string; readonly made: Part | string } | undefined
  /** The entries that are the same for all names, by their patterns. */
  readonly fixed: readonly (readonly [pattern: string, part: Part])[]
}

interface Wildcard {
  readonly head: string
  readonly tail: string
  readonly made: Part | ((name: string) => Part | string | undefined)
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

function partMaker(entry: unknown, place: EntryPlace): Wildcard['made'] {
  if (isVendor(entry)) return name => partOf(entry(name), place)
  if (typeof entry !== 'function' || isRoute(entry)) return partOf(entry, place)
  return name => {
    const made: unknown = entry(name)
    if (made === undefined || (typeof made === 'string' && made !== '')) return made
    return partOf(made, place)
  }
}

/** A route, and no function that makes entries: it is one of this library's, or says what it has. */
function isRoute(entry: object): boolean {
  return madeFrom(entry) !== undefined || 'targets' in entry || 'list' in entry
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
