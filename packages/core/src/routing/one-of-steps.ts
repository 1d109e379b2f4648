import type { Draft } from '../contracts/draft.ts'
import type { Target } from '../contracts/provider.ts'
import type { RouteContext } from '../contracts/route.ts'
import type { SkipReason } from '../contracts/trace.ts'
import { isSamePlace } from '../validation/is-target.ts'

import { type Step, waysOf } from './step.ts'

const notChosen: SkipReason = Object.freeze({ why: 'not_chosen' })

/** What one of the steps gives, and nothing of the others, of which the trace is told. */
export function oneOf(steps: readonly Step[], choose: (draft: Draft, context: RouteContext) => number): Step {
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

function leftOut(chosen: Step, steps: readonly Step[]): readonly Target[] {
  const found: Target[] = []
  for (const target of steps.flatMap(step => step.targets)) {
    const known = (other: Target) => isSamePlace(other, target)
    if (!chosen.targets.some(known) && !found.some(known)) found.push(target)
  }
  return found
}
