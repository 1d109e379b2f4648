import type { RouteConfig } from '../../config/config.ts'
import { countTargets } from '../count-targets.ts'
import type { ImportNode, ImportReader } from '../import-reader.ts'
import { type Group, groupRoute, groupUnder, type Strategy } from './groups.ts'
import type { Settings } from './settings.ts'

/** The models, and how many targets a request can try at most. */
interface Routes {
  readonly models: Readonly<Record<string, RouteConfig>>
  readonly maxTargets: number
}

/** Each group with its fallbacks. */
export function routesOf(groups: ReadonlyMap<string, Group>, strategy: Strategy, settings: Settings): Routes {
  const knows = (name: string) => groupUnder(name, groups) !== undefined
  const routeOf = (name: string) => groupRoute(groupUnder(name, groups)!, strategy)
  const fallbacks = withDefaults(
    fallbacksOf(settings.at('fallbacks'), knows),
    settings.at('default_fallbacks'),
    knows,
  )
  const larger = fallbacksOf(settings.at('context_window_fallbacks'), knows)
  const models = Object.fromEntries([...groups.keys()].map(name => [name, chainOf(name)]))
  return { models, maxTargets: Math.max(1, ...Object.values(models).map(countTargets)) }

  function chainOf(name: string): RouteConfig {
    const others = fallbackNames(name, fallbacks)
    const own = withLarger(name, others.length)
    return others.length === 0 ? own : [own, ...others.map(routeOf)]
  }

  function withLarger(name: string, others: number): RouteConfig {
    const own = routeOf(name)
    const names = larger.get(name) ?? larger.get('*')?.filter(other => other !== name) ?? []
    if (names.length === 0) return own
    const entries = [own, ...names.map(routeOf)]
    if ([name, ...names].every(sizeIsKnown)) return { byContextLength: entries }
    if (others === 0 && groups.get(name)!.deployments.length === 1)
      return { fallback: entries, on: [{ code: 'context_length_exceeded' }] }
    for (const entry of settings.at('context_window_fallbacks').items())
      entry.at(name).reportUnsupported(...unsized)
    return own
  }

  function sizeIsKnown(name: string): boolean {
    const { deployments } = groupUnder(name, groups)!
    return deployments.every(({ capabilities }) => capabilities?.contextTokens !== undefined)
  }
}

const unsized = [
  'The context windows of these models are not known, and the model has other fallbacks.',
  'Add model_info.max_input_tokens to all of them and import again, or write { byContextLength: [...] } with the contextTokens of each.',
] as const

function withDefaults(fallbacks: Fallbacks, list: ImportNode, knows: (name: string) => boolean): Fallbacks {
  const names = namesIn(list, knows)
  if (names.length === 0) return fallbacks
  return new Map([...fallbacks, ['*', [...(fallbacks.get('*') ?? []), ...names]]])
}

/** Which groups stand in for which: `{ "gpt-4o": ["claude"] }`, and `*` for all. */
type Fallbacks = ReadonlyMap<string, readonly string[]>

/** Reads a list of `{ group: [other, ...] }`. Reports a name that `knows` does not know. */
function fallbacksOf(list: ImportNode, knows: (name: string) => boolean): Fallbacks {
  const all = new Map<string, string[]>()
  for (const entry of list.items()) {
    for (const [group, others] of entry.members()) {
      if (group !== '*' && !knows(group)) {
        others.reportUnsupported(
          'No model of that name was converted.',
          'Nothing, unless you fix that model.',
        )
        continue
      }
      all.set(group, [...(all.get(group) ?? []), ...namesIn(others, knows)])
    }
  }
  return all
}

/** Reads a list of names. */
function namesIn(list: ImportNode, knows: (name: string) => boolean): string[] {
  return list.items().flatMap(item => {
    if (typeof item.value !== 'string') return []
    if (knows(item.value)) return item.text() ?? []
    item.reportUnsupported(
      'No model of that name was converted.',
      'Add it to models, and to the fallbacks of the model.',
    )
    return []
  })
}

/**
 * Returns all fallbacks of a group in the order in which they are tried: each is followed by its own fallbacks.
 */
function fallbackNames(name: string, fallbacks: Fallbacks): readonly string[] {
  const asked = new Set<string>()
  const add = (group: string) => {
    if (asked.has(group)) return
    asked.add(group)
    for (const other of fallbacks.get(group) ?? fallbacks.get('*') ?? []) add(other)
  }
  add(name)
  asked.delete(name)
  return [...asked]
}

/** Other names for models: `{ "gpt-4": "gpt-4o" }`, or `{ "gpt-4": { "model": "gpt-4o", "hidden": true } }`. */
export function aliasesOf(
  aliases: ImportNode,
  models: Readonly<Record<string, RouteConfig>>,
  reader: ImportReader,
): Readonly<Record<string, RouteConfig>> {
  const carried = aliases.members().flatMap(([alias, part]) => {
    const target = part.isLeaf ? part : part.at('model')
    if (
      Object.hasOwn(models, alias) ||
      typeof target.value !== 'string' ||
      !Object.hasOwn(models, target.value)
    ) {
      part.reportUnsupported(
        'No model of that name was converted, or the alias is already a model.',
        'Add the alias and its model to models.',
      )
      return []
    }
    target.markRead()
    part
      .at('hidden')
      .reportUnsupported(
        'GET /models lists every name that the caller may use.',
        'Restrict the models of keys.',
      )
    return [[alias, target.value] as const]
  })
  if (carried.length > 0) reader.note('Callers of an alias need permission for its model, too.')
  return Object.fromEntries(carried)
}
