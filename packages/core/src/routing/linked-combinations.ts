import type { Draft } from '../contracts/draft.ts'
import type { Target } from '../contracts/provider.ts'
import type { RouteContext } from '../contracts/route.ts'
import type { TargetHealth } from '../contracts/target-health.ts'
import type { SkipReason } from '../contracts/trace.ts'
import { isSameTarget } from '../validation/is-target.ts'
import {
  type Candidates,
  collectTargets,
  distinct,
  fixedStep,
  type LinkedRoute,
  waysOf,
} from './linked-route.ts'

/** All that the steps give, in their order. */
export function inOrder(steps: readonly LinkedRoute[]): LinkedRoute {
  const id = idOf(steps)
  if (steps.length === 1) return steps[0]!
  const targets = steps.flatMap(step => step.targets)
  if (steps.every(step => step.fixed !== undefined)) {
    return { ...fixedStep(distinct(steps.flatMap(step => step.fixed!)), id), targets }
  }
  return {
    fixed: undefined,
    targets,
    ways: waysOf(steps),
    id,
    ask: (draft, context) => collectTargets(steps, draft, context, lists => distinct(lists.flat())),
  }
}

/** The places of some entries: the entry itself has its index. */
export interface ListedTarget {
  readonly index: number
  /** At least one. */
  readonly candidates: Candidates
}

/**
 * Puts entries into their order for one request. Those without a place for it are not among them. The list may be
 * sorted where it stands.
 */
type Ranking = (listed: ListedTarget[], draft: Draft, context: RouteContext) => readonly ListedTarget[]

/** All that the steps give, the places of each together, in an order that is made for each request. */
export function ranked(steps: readonly LinkedRoute[], rank: Ranking): LinkedRoute {
  return {
    fixed: undefined,
    targets: steps.flatMap(step => step.targets),
    ways: waysOf(steps),
    id: idOf(steps),
    ask: (draft, context) =>
      collectTargets(steps, draft, context, lists => {
        const listed: ListedTarget[] = []
        for (let index = 0; index < lists.length; index++) {
          const candidates = lists[index]!
          if (candidates.length > 0) listed.push({ index, candidates })
        }
        return distinct(rank(listed, draft, context).flatMap(({ candidates }) => candidates))
      }),
  }
}

/** The order of entries by a number of each, the least first; what is equal stays in its order. */
export function byLeast(
  listed: readonly ListedTarget[],
  measures: readonly number[],
): readonly ListedTarget[] {
  // Nearly always they are two, of which sorting makes several copies.
  if (listed.length === 2) return measures[1]! < measures[0]! ? [listed[1]!, listed[0]!] : listed
  return listed
    .map((each, at) => ({ each, measure: measures[at]! }))
    .sort((one, other) => (one.measure < other.measure ? -1 : one.measure > other.measure ? 1 : 0))
    .map(({ each }) => each)
}

function idOf(steps: readonly LinkedRoute[]): string {
  return steps.length === 1 ? steps[0]!.id : `(${steps.map(({ id }) => id).join(' ')})`
}

const notChosen: SkipReason = Object.freeze({ why: 'not_chosen' })

/** What one of the steps gives, and nothing of the others, of which the trace is told. */
export function oneOf(
  steps: readonly LinkedRoute[],
  choose: (draft: Draft, context: RouteContext) => number,
): LinkedRoute {
  const others = steps.map(step => leftOut(step, steps))
  return {
    fixed: undefined,
    targets: steps.flatMap(step => step.targets),
    ways: waysOf(steps),
    id: `(${steps.map(({ id }) => id).join(' ')})`,
    ask(draft, context) {
      const at = choose(draft, context)
      for (const target of others[at]!) context.skip(target, notChosen)
      const { fixed } = steps[at]!
      return fixed ?? steps[at]!.ask(draft, context)
    },
  }
}

function leftOut(chosen: LinkedRoute, steps: readonly LinkedRoute[]): readonly Target[] {
  const found: Target[] = []
  for (const target of steps.flatMap(step => step.targets)) {
    const known = (other: Target) => isSameTarget(other, target)
    if (!chosen.targets.some(known) && !found.some(known)) found.push(target)
  }
  return found
}

/** How the place does that would be asked first. */
interface Lead {
  readonly health: TargetHealth
  /** None of the places is to be asked at the moment. */
  readonly blocked: boolean
}

/** The first of some places that may be asked now, or the first, where none may. */
export function leadOf(candidates: Candidates, { health }: RouteContext): Lead {
  let first: TargetHealth | undefined
  for (const candidate of candidates) {
    const found = health(candidate)
    if (found.waitMs <= 0) return { health: found, blocked: false }
    first ??= found
  }
  return { health: first!, blocked: true }
}
