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

/** Returns the targets of all steps in order. */
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
    resolve: (draft, context) => collectTargets(steps, draft, context, lists => distinct(lists.flat())),
  }
}

/** The targets of an entry, with the index of the entry. */
export interface ListedTarget {
  readonly index: number
  /** At least one. */
  readonly candidates: Candidates
}

/** Orders entries for a request. Entries without targets are not in the list. It may sort the list in place. */
type Ranking = (listed: ListedTarget[], draft: Draft, context: RouteContext) => readonly ListedTarget[]

/** Returns the targets of all steps, with the steps ordered per request. */
export function ranked(steps: readonly LinkedRoute[], rank: Ranking): LinkedRoute {
  return {
    fixed: undefined,
    targets: steps.flatMap(step => step.targets),
    ways: waysOf(steps),
    id: idOf(steps),
    resolve: (draft, context) =>
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

/** Orders entries by a measure of each, ascending. The order of equal ones is stable. */
export function byLeast(
  listed: readonly ListedTarget[],
  measures: readonly number[],
): readonly ListedTarget[] {
  // Nearly always there are two, for which sorting would allocate several copies.
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

/** Returns the targets of the chosen step only. Those of the others are recorded as skipped. */
export function oneOf(
  steps: readonly LinkedRoute[],
  choose: (draft: Draft, context: RouteContext) => number,
): LinkedRoute {
  const others = steps.map(step => otherTargets(step, steps))
  return {
    fixed: undefined,
    targets: steps.flatMap(step => step.targets),
    ways: waysOf(steps),
    id: `(${steps.map(({ id }) => id).join(' ')})`,
    resolve(draft, context) {
      const at = choose(draft, context)
      for (const target of others[at]!) context.skip(target, notChosen)
      const { fixed } = steps[at]!
      return fixed ?? steps[at]!.resolve(draft, context)
    },
  }
}

function otherTargets(chosen: LinkedRoute, steps: readonly LinkedRoute[]): readonly Target[] {
  const found: Target[] = []
  for (const target of steps.flatMap(step => step.targets)) {
    const known = (other: Target) => isSameTarget(other, target)
    if (!chosen.targets.some(known) && !found.some(known)) found.push(target)
  }
  return found
}

/** The health of the target that would be called first. */
interface Lead {
  readonly health: TargetHealth
  /** Whether no target may be called now. */
  readonly blocked: boolean
}

/** Returns the first target that may be called now, or the first one if none may. */
export function leadOf(candidates: Candidates, { health }: RouteContext): Lead {
  let first: TargetHealth | undefined
  for (const candidate of candidates) {
    const found = health(candidate)
    if (found.waitMs <= 0) return { health: found, blocked: false }
    first ??= found
  }
  return { health: first!, blocked: true }
}
