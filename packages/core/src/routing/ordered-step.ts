import type { Draft } from '../contracts/draft.ts'
import type { RouteContext } from '../contracts/route.ts'
import { distinct } from './distinct.ts'

import { type Candidates, fixedStep, gathered, type Step, waysOf } from './step.ts'

/** All that the steps give, in their order. */
export function inOrder(steps: readonly Step[]): Step {
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
    ask: (draft, context) => gathered(steps, draft, context, lists => distinct(lists.flat())),
  }
}

/** The places of some entries: the entry itself has its index. */
export interface Listed {
  readonly index: number
  /** At least one. */
  readonly candidates: Candidates
}

/**
 * Puts entries into their order for one request. Those without a place for it are not among them. The list may be
 * sorted where it stands.
 */
export type Ranking = (listed: Listed[], draft: Draft, context: RouteContext) => readonly Listed[]

/** All that the steps give, the places of each together, in an order that is made for each request. */
export function ranked(steps: readonly Step[], rank: Ranking): Step {
  return {
    fixed: undefined,
    targets: steps.flatMap(step => step.targets),
    ways: waysOf(steps),
    id: idOf(steps),
    ask: (draft, context) =>
      gathered(steps, draft, context, lists => {
        const listed: Listed[] = []
        for (let index = 0; index < lists.length; index++) {
          const candidates = lists[index]!
          if (candidates.length > 0) listed.push({ index, candidates })
        }
        return distinct(rank(listed, draft, context).flatMap(({ candidates }) => candidates))
      }),
  }
}

/** The order of entries by a number of each, the least first; what is equal stays in its order. */
export function byLeast(listed: readonly Listed[], measures: readonly number[]): readonly Listed[] {
  // Nearly always they are two, of which sorting makes several copies.
  if (listed.length === 2) return measures[1]! < measures[0]! ? [listed[1]!, listed[0]!] : listed
  return listed
    .map((each, at) => ({ each, measure: measures[at]! }))
    .sort((one, other) => (one.measure < other.measure ? -1 : one.measure > other.measure ? 1 : 0))
    .map(({ each }) => each)
}

function idOf(steps: readonly Step[]): string {
  return steps.length === 1 ? steps[0]!.id : `(${steps.map(({ id }) => id).join(' ')})`
}
