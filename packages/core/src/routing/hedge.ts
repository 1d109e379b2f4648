import { maxTimerMs } from '../clock/clock.ts'
import { type OptionCheck, validatedOptions } from '../errors/check-options.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { isSameTarget } from '../validation/is-target.ts'
import {
  type CombinedRoute,
  combinedRoute,
  linkRoute,
  type ModelEntry,
  type NamesIn,
} from './combined-route.ts'
import {
  type Candidates,
  collectTargets,
  distinct,
  fixedStep,
  type LinkedRoute,
  waysOf,
} from './linked-route.ts'

export interface HedgeOptions {
  /** How long the first place may take to begin its answer before the other is asked too, in milliseconds. */
  readonly afterMs: number
}

const milliseconds: OptionCheck = value =>
  typeof value === 'number' && value > 0 && value <= maxTimerMs
    ? undefined
    : `milliseconds above 0, at most ${maxTimerMs}`

/**
 * The first entry answers; where its place has not begun to for `afterMs` milliseconds, that of the second one is asked
 * too. The first of them to begin is the answer, and the other is cut off: both cost. Where a place fails, the order is
 * the first place of `entry`, those of `other`, then what else `entry` has.
 *
 * Throws `TypeError` for what is no entry, for entries that are the same place, and for what is no span.
 */
export function hedge<const Entry extends ModelEntry, const Other extends ModelEntry>(
  entry: Entry,
  other: Other,
  options: HedgeOptions,
): CombinedRoute<NamesIn<Entry> | NamesIn<Other>> {
  const { afterMs } = validatedOptions('hedge()', options, { afterMs: milliseconds })
  const parts = [
    linkRoute(entry, { source: 'hedge()', path: [0] }),
    linkRoute(other, { source: 'hedge()', path: [1] }),
  ]
  return combinedRoute(parts, steps => hedged(steps, afterMs))
}

function hedged(steps: readonly LinkedRoute[], hedgeAfterMs: number): LinkedRoute {
  const order = ([lists = [], others = []]: readonly Candidates[]): Candidates => {
    const [first, ...rest] = lists
    if (first === undefined) return others
    // What comes after it then is no entry of this one's.
    if (others.every(other => isSameTarget(other, first))) return lists
    return distinct([
      { ...first, hedgeAfterMs },
      ...others.filter(other => !isSameTarget(other, first)),
      ...rest,
    ])
  }
  const targets = steps.flatMap(step => step.targets)
  const [{ fixed, id }, { fixed: other }] = steps as readonly [LinkedRoute, LinkedRoute]
  if (fixed !== undefined && other?.every(each => isSameTarget(each, fixed[0]!))) {
    const received = 'the target of the first entry'
    throw new ConfigurationError('hedge()', [{ path: [1], received, expected: 'another target' }])
  }
  if (fixed !== undefined && other !== undefined) return { ...fixedStep(order([fixed, other]), id), targets }
  return {
    fixed: undefined,
    targets,
    ways: waysOf(steps),
    id,
    ask: (draft, context) => collectTargets(steps, draft, context, order),
  }
}
