import type { Draft } from '../contracts/draft.ts'
import type { Target } from '../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { isSameTarget } from '../validation/is-target.ts'

export type Candidates = readonly RoutedTarget[]

/** An entry of a route with resolved names. */
export interface LinkedRoute {
  /** Its targets, if they are the same for every request; otherwise `undefined`. */
  readonly fixed: Candidates | undefined
  resolve(draft: Draft, context: RouteContext): Candidates | Promise<Candidates>
  /** Every target that is known in advance. */
  readonly targets: readonly Target[]
  /** Each way to a target: the names of the table that lead to it, as in `via`. */
  readonly ways: readonly (readonly string[])[]
  /** Identifies it for hashing; the same in all processes. */
  readonly id: string
}

/** Resolves the names of a table. */
export interface NameScope {
  /** Returns the entry of a name. Throws `TypeError` if there is none, or if it is circular. */
  find(name: string): LinkedRoute
}

/** A validated entry whose names are not resolved yet. */
export interface RouteNode {
  readonly names: readonly string[]
  link(scope: NameScope): LinkedRoute
}

export function fixedStep(fixed: Candidates, id: string): LinkedRoute {
  const ways = distinctWays(fixed.map(({ via }) => via ?? []))
  return { fixed, resolve: () => fixed, targets: fixed, ways, id }
}

/** Returns the distinct ways of all steps: the lists of names that lead to their targets. */
export function waysOf(steps: readonly LinkedRoute[]): readonly (readonly string[])[] {
  return distinctWays(steps.flatMap(({ ways }) => ways))
}

function distinctWays(ways: readonly (readonly string[])[]): readonly (readonly string[])[] {
  if (ways.length < 2) return ways
  return [...new Map(ways.map(way => [JSON.stringify(way), way])).values()]
}

/** Returns a step that maps the targets of another. */
export function mappedStep(step: LinkedRoute, map: (candidates: Candidates) => Candidates): LinkedRoute {
  if (step.fixed !== undefined) return { ...fixedStep(map(step.fixed), step.id), targets: step.targets }
  return {
    fixed: undefined,
    targets: step.targets,
    ways: step.ways,
    id: step.id,
    resolve(draft, context) {
      const asked = step.resolve(draft, context)
      return asked instanceof Promise ? asked.then(map) : map(asked)
    },
  }
}

/** Collects the targets of all steps, synchronously if all of them are. */
export function collectTargets(
  steps: readonly LinkedRoute[],
  draft: Draft,
  context: RouteContext,
  finish: (lists: readonly Candidates[]) => Candidates,
): Candidates | Promise<Candidates> {
  const lists: (Candidates | Promise<Candidates>)[] = []
  let waits = false
  try {
    for (const step of steps) {
      const list = step.fixed ?? step.resolve(draft, context)
      waits ||= list instanceof Promise
      lists.push(list)
    }
  } catch (error) {
    // Avoids unhandled rejections of the others.
    for (const list of lists) if (list instanceof Promise) list.catch(() => {})
    throw error
  }
  return waits ? Promise.all(lists).then(finish) : finish(lists as readonly Candidates[])
}

/**
 * Removes duplicate targets. The same target with a different `via` is not a duplicate, because the principal may be allowed
 * to use only one of them.
 */
export function distinct(candidates: Candidates): Candidates {
  for (let at = 1; at < candidates.length; at++) {
    if (isDuplicate(candidates, at)) return candidates.filter((_, index) => !isDuplicate(candidates, index))
  }
  return candidates
}

/** Whether an earlier target is the same. */
function isDuplicate(candidates: Candidates, at: number): boolean {
  const like = candidates[at]!
  for (let before = 0; before < at; before++) {
    const candidate = candidates[before]!
    if (candidate === like || (isSameTarget(candidate, like) && needsSame(candidate, like))) return true
  }
  return false
}

function needsSame({ via: one }: RoutedTarget, { via: other }: RoutedTarget): boolean {
  if (one === other) return true
  return one?.length === other?.length && one!.every((name, at) => name === other![at])
}
