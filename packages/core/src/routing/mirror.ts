import type { RoutedTarget } from '../contracts/route.ts'
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
import { type Candidates, type LinkedRoute, mappedStep } from './step.ts'

export interface MirrorOptions {
  /** The share of the requests that go to the shadow too, from above 0 to 1. Default 1. */
  readonly share: number
}

/**
 * The entry answers, and the shadow is asked the same: its answer is dropped, and its cost recorded. The shadow is a
 * target or a name; of one with several places the first is asked. No caller needs leave for it, as none sees it.
 *
 * Throws `TypeError` for what is no entry, for a shadow that depends on the request, and for what is no share.
 */
export function mirror<const Entry extends ModelEntry, const Shadow extends ModelEntry>(
  entry: Entry,
  shadow: Shadow,
  options?: MirrorOptions,
): CombinedRoute<NamesIn<Entry> | NamesIn<Shadow>> {
  const { share } = validatedOptions('mirror()', options ?? { share: 1 }, { share: aShare })
  const parts = [
    linkRoute(entry, { source: 'mirror()', path: ['entry'] }),
    linkRoute(shadow, { source: 'mirror()', path: ['shadow'] }),
  ]
  return combinedRoute(parts, ([step, shade]) => mirrored(step!, shade!, share))
}

const aShare: OptionCheck = value =>
  typeof value === 'number' && value > 0 && value <= 1 ? undefined : 'a number above 0, at most 1'

function mirrored(step: LinkedRoute, { fixed, targets }: LinkedRoute, share: number): LinkedRoute {
  const shadow = fixed?.[0]
  if (shadow === undefined) {
    const received = 'a route that depends on the request'
    throw new ConfigurationError('mirror()', [
      { path: ['shadow'], received, expected: 'a target, or a name of one' },
    ])
  }
  const { via: _, fallbackOn: __, hedgeAfterMs: ___, shadows: ____, ...target } = shadow
  const shaded = mappedStep(step, (candidates: Candidates) =>
    candidates.map((candidate): RoutedTarget => {
      if (isSameTarget(candidate, target) && candidate.parameters === target.parameters) return candidate
      return { ...candidate, shadows: [...(candidate.shadows ?? []), target] }
    }),
  )
  const all = [...step.targets, ...targets]
  if (share === 1) return { ...shaded, targets: all }
  return {
    fixed: undefined,
    targets: all,
    ways: step.ways,
    id: step.id,
    ask(draft, context) {
      const chosen = context.random() < share ? shaded : step
      return chosen.fixed ?? chosen.ask(draft, context)
    },
  }
}
