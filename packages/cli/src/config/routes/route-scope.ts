import {
  ConfigurationError,
  type ConfigurationIssue,
  issueText,
  optionPathText,
  type Target,
} from '@sluice/core'
import { didYouMean } from '../faults/fault-list.ts'
import { quoted } from '../faults/fault-text.ts'
import type { VendorSet } from '../providers/vendor-pool.ts'
import type { Place } from '../shape/shape.ts'

/** What the texts of a route may name. */
export interface RouteScope {
  readonly vendors: VendorSet
  readonly models: readonly string[]
}

/** An entry that is being made. */
export interface EntryScope extends RouteScope {
  /** The name that it stands under. */
  readonly self: string
  /** What stands under the `*` of its name, where it has one. */
  readonly star: string | undefined
  /** Names of other entries that it leads to. */
  readonly refer: (name: string) => void
}

/** The name of another entry, or a place; `undefined` where it is neither, which is told. */
export function namedEntry(text: string, place: Place, scope: EntryScope): string | Target | undefined {
  const { models, vendors, self, star } = scope
  if (text.includes('*') && star === undefined) {
    return place.wrong(
      text,
      'a model or a place',
      "A '*' stands for what was asked for, in entries whose own name has one.",
    )
  }
  const name = star === undefined ? text : text.replaceAll('*', star)
  if (name !== self && models.includes(name)) {
    scope.refer(name)
    return name
  }
  const slash = name.indexOf('/')
  const provider = name.slice(0, Math.max(slash, 0))
  if (slash > 0 && slash < name.length - 1 && vendors.names.includes(provider)) {
    const make = vendors.make(provider)
    // It has a fault of its own, which is told there.
    return make && tried(place, () => make(name.slice(slash + 1)))
  }
  if (models.some(pattern => pattern !== self && fits(pattern, name))) return name
  return unknown(text, place, scope)
}

/**
 * What code of the core or of a provider gives; what it refuses is a fault here.
 *
 * @param skipped - how many steps of a path are those of the code, and not told.
 */
export function tried<T>(place: Place, make: () => T, skipped = 0): T | undefined {
  return triedBelow(place, make, issue => {
    const path = optionPathText(issue.path.slice(skipped))
    place.add({ problem: path === '' ? issueText(issue) : `${path}: ${issueText(issue)}` })
  })
}

/** The same of options that stand here under the names that the code has for them: each has its faults where it stands. */
export function triedOptions<T>(place: Place, make: () => T, skipped = 0): T | undefined {
  return triedBelow(place, make, issue => {
    addIssue(
      issue.path.slice(skipped).reduce<Place>((at, step) => at.at(step), place),
      issue,
    )
  })
}

/** Adds an issue where it stands. */
export function addIssue(place: Place, { received, expected, suggestion }: ConfigurationIssue): void {
  const mend = suggestion === undefined ? undefined : `Did you mean '${suggestion}'?`
  place.add({ got: received, expected, mend })
}

function triedBelow<T>(place: Place, make: () => T, add: (issue: ConfigurationIssue) => void): T | undefined {
  try {
    return make()
  } catch (error) {
    if (ConfigurationError.is(error)) {
      for (const issue of error.issues) add(issue)
      return undefined
    }
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    return place.add({ problem: error.message })
  }
}

export function fits(pattern: string, name: string): boolean {
  const [head = '', tail] = pattern.split('*')
  if (tail === undefined || name.length <= head.length + tail.length) return false
  return name.startsWith(head) && name.endsWith(tail)
}

function unknown(text: string, place: Place, { models, vendors, self }: EntryScope): undefined {
  const expected =
    "a model of this configuration, or a provider of it and its model, such as 'openai/gpt-4.1'"
  if (text === self) return place.add({ got: `${place.shown(text)}, which is this entry itself`, expected })
  if (vendors.names.includes(text)) {
    const mend = `${quoted(text)} is a provider: name one of its models, as in '${text}/its-model'.`
    return place.wrong(text, expected, mend)
  }
  const slash = text.indexOf('/')
  const others = vendors.names.map(name => (slash > 0 ? name + text.slice(slash) : name))
  const near = didYouMean(text, [...models.filter(name => name !== self), ...others])
  const mend =
    near ?? (slash > 0 ? `There is no provider '${text.slice(0, slash)}' in providers.` : undefined)
  // What came from the environment is not told.
  return place.wrong(text, expected, place.reference === undefined ? mend : undefined)
}
