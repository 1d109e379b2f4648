import type { Target } from '@sluice/core'
import { suggest } from '../issues/issue-list.ts'
import { quoted } from '../issues/issue-text.ts'
import type { VendorSet } from '../providers/vendor-pool.ts'
import { collectIssues } from '../shape/collect-issues.ts'
import type { ConfigLocation } from '../shape/shape.ts'
import type { TargetLimits } from './target-limits.ts'

/** What the texts of a route may name. */
export interface RouteScope {
  readonly vendors: VendorSet
  readonly models: readonly string[]
  readonly targetLimits: TargetLimits
}

/** An entry that is being made. */
export interface EntryScope extends RouteScope {
  /** The name of the entry. */
  readonly self: string
  /** The text that matched the `*` of its name, where it has one. */
  readonly star: string | undefined
  /** Names of other entries that it leads to. */
  readonly refer: (name: string) => void
}

/** Resolves the name of another entry or a target. Reports a name that is neither and returns `undefined`. */
export function namedEntry(
  text: string,
  location: ConfigLocation,
  scope: EntryScope,
): string | Target | undefined {
  const { models, vendors, self, star } = scope
  if (text.includes('*') && star === undefined) {
    return location.reject(
      text,
      'a model or a target',
      "A '*' is replaced by the requested name only in models whose own name has one.",
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
    // Its provider is invalid, which is reported there.
    return make && collectIssues(location, () => make(name.slice(slash + 1)))
  }
  if (models.some(pattern => pattern !== self && fits(pattern, name))) return name
  return unknown(text, location, scope)
}

export function fits(pattern: string, name: string): boolean {
  const [head = '', tail] = pattern.split('*')
  if (tail === undefined || name.length <= head.length + tail.length) return false
  return name.startsWith(head) && name.endsWith(tail)
}

function unknown(text: string, location: ConfigLocation, { models, vendors, self }: EntryScope): undefined {
  const expected =
    "a model of this configuration, or a provider of it and its model, such as 'openai/gpt-4.1'"
  if (text === self)
    return location.add({ got: `${location.describe(text)}, which is this entry itself`, expected })
  if (vendors.names.includes(text)) {
    const fix = `${quoted(text)} is a provider: name one of its models, such as '${text}/its-model'.`
    return location.reject(text, expected, fix)
  }
  const slash = text.indexOf('/')
  const others = vendors.names.map(name => (slash > 0 ? name + text.slice(slash) : name))
  const near = suggest(text, [...models.filter(name => name !== self), ...others])
  const fix = near ?? (slash > 0 ? `Add '${text.slice(0, slash)}' to providers.` : undefined)
  // What came from the environment is not told.
  return location.reject(text, expected, location.reference === undefined ? fix : undefined)
}
