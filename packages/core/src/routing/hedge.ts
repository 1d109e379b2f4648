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

/** Options of `hedge`. */
export interface HedgeOptions {
  /** Milliseconds without content after which the second target is called too. */
  readonly afterMs: number
}

const milliseconds: OptionCheck = value =>
  typeof value === 'number' && value > 0 && value <= maxTimerMs
    ? undefined
    : `milliseconds above 0, at most ${maxTimerMs}`

/**
 * Hedges requests: if the first target has sent no content after `afterMs` milliseconds, the other one is called too. The first
 * with content is used, the other is cancelled; both may cost money. A response that is not streamed has its content when it is
 * complete. The fallback order is the first target of
 * `entry`, those of `other`, then the rest of `entry`.
 *
 * Throws `ConfigurationError` for an invalid entry or `afterMs`, and if both entries are the same target.
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
    // There is no other target to hedge with.
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
    resolve: (draft, context) => collectTargets(steps, draft, context, order),
  }
}
