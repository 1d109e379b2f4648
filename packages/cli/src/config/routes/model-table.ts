import { type ModelEntries, type ModelTable, models } from '@sluice/core'
import type { RouteConfig, TypedConfig } from '../config.ts'
import { collectIssues } from '../shape/collect-issues.ts'
import type { ConfigLocation } from '../shape/shape.ts'
import { compileEntry } from './compile-entry.ts'
import type { EntryScope, RouteScope } from './route-scope.ts'

/** Stands for what callers may ask for, while an entry with a `*` is looked at. */
const anyName = 'a-model'

/** Compiles the core's table of a configuration's models. Reports invalid ones and returns `undefined`. */
export function modelTable(
  config: TypedConfig,
  location: ConfigLocation,
  scope: RouteScope,
): ModelTable | undefined {
  const table = new Map<string, unknown>()
  const references = new Map<string, readonly string[]>()
  for (const [name, route] of Object.entries(config.models)) {
    if (location.issues.has([...location.path, name])) continue
    const names = new Set<string>()
    const own = (star: string | undefined): EntryScope => ({
      ...scope,
      self: name,
      star,
      refer: each => names.add(each),
    })
    const isPattern = name.includes('*')
    const entry = compileEntry(route, location.at(name), own(isPattern ? anyName : undefined))
    if (entry === undefined) continue
    table.set(
      name,
      isPattern && holdsStar(route)
        ? (star: string) => compileEntry(route, location.at(name), own(star))
        : entry,
    )
    references.set(name, [...names])
  }
  for (const circle of circles(references)) {
    const problem = `refers to itself: ${circle.map(name => `'${name}'`).join(' > ')}`
    location.at(circle[0]!).add({ problem, fix: 'Point one of them to a provider.' })
  }
  // A model that is omitted has an issue, at its own path or at that of its provider.
  if (location.issues.has(location.path) || table.size < Object.keys(config.models).length) return undefined
  return collectIssues(location, () => models(Object.fromEntries(table) as ModelEntries<string>))
}

/** Whether what an entry leads to depends on the name that was asked for. */
function holdsStar(route: RouteConfig): boolean {
  if (typeof route === 'string') return route.includes('*')
  if (typeof route !== 'object' || route === null) return false
  return Object.values(route).some(each => holdsStar(each as RouteConfig))
}

/** The ways by which names lead back to themselves, each once: `['a', 'b', 'a']`. */
function circles(references: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const found: string[][] = []
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]) => {
    const at = path.indexOf(name)
    if (at !== -1) {
      found.push([...path.slice(at), name])
      return
    }
    if (done.has(name)) return
    for (const next of references.get(name) ?? []) visit(next, [...path, name])
    done.add(name)
  }
  for (const name of references.keys()) visit(name, [])
  return found
}
