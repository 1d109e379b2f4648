import type { Target } from '../contracts/provider.ts'
import type { Route } from '../contracts/route.ts'
import { madeFrom, madeOf, namesOf } from './parts.ts'

import type { Part, Scope, Step } from './step.ts'

/** A route that is made of entries. `Ref` are the names in it: they are found when it stands in `models({...})`. */
export interface CombinedRoute<Ref extends string = never> extends Route<string, Ref> {
  /** Throws `TypeError` where it has names and stands in no table. */
  targets(): readonly Target[]
  readonly [madeOf]: unknown
}

const nothing: Scope = {
  find(name) {
    throw new TypeError(`No table has '${name}'.`)
  },
}

/** A route out of parts, of which `make` makes a step as soon as their names are found. */
export function combinedRoute<Ref extends string>(
  parts: readonly Part[],
  make: (steps: readonly Step[]) => Step,
): CombinedRoute<Ref> {
  const names = namesOf(parts)
  const link = (scope: Scope) => make(parts.map(part => part.link(scope)))
  // What has no names is made once, and tells at once what is wrong with it.
  const own = names.length === 0 ? link(nothing) : undefined
  const part: Part = { names, link: own === undefined ? link : () => own }
  const found = () => {
    if (own === undefined) throw new TypeError(`Expected ${looseText(names)}.`)
    return own
  }
  const route: Route<string, Ref> = (draft, context) => found().ask(draft, context)
  return Object.assign(route, { targets: () => found().targets, [madeOf]: part })
}

/** What was expected of a route that stands by itself; `undefined` where nothing is wrong with it. */
export function looseFault(route: unknown): string | undefined {
  const names = madeFrom(route)?.names ?? []
  return names.length === 0 ? undefined : looseText(names)
}

function looseText(names: readonly string[]): string {
  const shown = [...new Set(names)].map(name => `'${name}'`).join(', ')
  return `a route that has no names of other entries outside of models({...}), and it has ${shown}`
}
