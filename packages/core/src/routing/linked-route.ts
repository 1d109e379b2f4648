import type { Draft } from '../contracts/draft.ts'
import type { Target } from '../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { isSameTarget } from '../validation/is-target.ts'

export type Candidates = readonly RoutedTarget[]

/** An entry of a route whose names are found. */
export interface LinkedRoute {
  /** What it gives to every request alike; `undefined` where that depends on the request. */
  readonly fixed: Candidates | undefined
  ask(draft: Draft, context: RouteContext): Candidates | Promise<Candidates>
  /** Every target that it knows of beforehand. */
  readonly targets: readonly Target[]
  /** The `via` of each way to a target; an empty list is a way without further names. */
  readonly ways: readonly (readonly string[])[]
  /** What it is called when requests are spread by a hash: the same in all processes. */
  readonly id: string
}

/** The names of a table. */
export interface NameScope {
  /** What stands under a name. Throws `TypeError` where nothing does, or where it leads back to where it is named. */
  find(name: string): LinkedRoute
}

/** An entry that was looked at; its names are still to be found. */
export interface RouteNode {
  readonly names: readonly string[]
  link(scope: NameScope): LinkedRoute
}

export function fixedStep(fixed: Candidates, id: string): LinkedRoute {
  const ways = distinctWays(fixed.map(({ via }) => via ?? []))
  return { fixed, ask: () => fixed, targets: fixed, ways, id }
}

/** Every way that one of the steps has, each once. */
export function waysOf(steps: readonly LinkedRoute[]): readonly (readonly string[])[] {
  return distinctWays(steps.flatMap(({ ways }) => ways))
}

function distinctWays(ways: readonly (readonly string[])[]): readonly (readonly string[])[] {
  if (ways.length < 2) return ways
  return [...new Map(ways.map(way => [JSON.stringify(way), way])).values()]
}

/** A step that says something more of what another gives. */
export function mappedStep(step: LinkedRoute, map: (candidates: Candidates) => Candidates): LinkedRoute {
  if (step.fixed !== undefined) return { ...fixedStep(map(step.fixed), step.id), targets: step.targets }
  return {
    fixed: undefined,
    targets: step.targets,
    ways: step.ways,
    id: step.id,
    ask(draft, context) {
      const asked = step.ask(draft, context)
      return asked instanceof Promise ? asked.then(map) : map(asked)
    },
  }
}

/** What all the steps give to a request, in their order, at once where none of them waits. */
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
      const list = step.fixed ?? step.ask(draft, context)
      waits ||= list instanceof Promise
      lists.push(list)
    }
  } catch (error) {
    // What the others come to, nobody asks any more.
    for (const list of lists) if (list instanceof Promise) list.catch(() => {})
    throw error
  }
  return waits ? Promise.all(lists).then(finish) : finish(lists as readonly Candidates[])
}

/**
 * The first of each place. One that is reached by a name is another than the same that needs no leave for that name:
 * which of them stay is only known when the caller is.
 */
export function distinct(candidates: Candidates): Candidates {
  for (let at = 1; at < candidates.length; at++) {
    if (isRepeat(candidates, at)) return candidates.filter((_, index) => !isRepeat(candidates, index))
  }
  return candidates
}

/** Whether one before it is the same. */
function isRepeat(candidates: Candidates, at: number): boolean {
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
