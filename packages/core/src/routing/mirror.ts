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
import { type Candidates, type LinkedRoute, mappedStep } from './linked-route.ts'

/** Options of `mirror`. */
export interface MirrorOptions {
  /** Share of requests to mirror: above 0, at most 1. Default 1. */
  readonly share: number
}

/**
 * Mirrors requests: the entry responds, and the shadow gets a copy of the request. The response of the shadow is discarded and
 * its cost recorded. The shadow is a target or a name, of which the first target is called. Principals need no permission for
 * it.
 *
 * Throws `ConfigurationError` for an invalid entry or share, and for a shadow that depends on the request.
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
  return combinedRoute(parts, ([step, shadowStep]) => mirrored(step!, shadowStep!, share))
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
  const withShadow = mappedStep(step, (candidates: Candidates) =>
    candidates.map((candidate): RoutedTarget => {
      if (isSameTarget(candidate, target) && candidate.parameters === target.parameters) return candidate
      return { ...candidate, shadows: [...(candidate.shadows ?? []), target] }
    }),
  )
  const all = [...step.targets, ...targets]
  if (share === 1) return { ...withShadow, targets: all }
  return {
    fixed: undefined,
    targets: all,
    ways: step.ways,
    id: step.id,
    resolve(draft, context) {
      const chosen = context.random() < share ? withShadow : step
      return chosen.fixed ?? chosen.resolve(draft, context)
    },
  }
}
