import type { Draft } from '../contracts/draft.ts'
import type { RouteContext } from '../contracts/route.ts'
import { ConfigurationError, configurationError } from '../errors/configuration-error.ts'
import {
  type CombinedRoute,
  combinedRoute,
  linkRoute,
  type ModelEntry,
  type NamesIn,
} from './combined-route.ts'
import { checkWeights } from './entry-checks.ts'
import { targetNameOf } from './last-target.ts'
import { oneOf } from './linked-combinations.ts'
import { type LinkedRoute, waysOf } from './linked-route.ts'
import { conversationOf, type Distances, type RouteKey, rendezvous, routeKey } from './route-key.ts'

/** The arms of an A/B split: a share by the name of another entry, or an entry with its share. */
export type SplitArms = Readonly<
  Record<string, number | readonly [ModelEntry, number] | { readonly to: ModelEntry; readonly share: number }>
>

/**
 * Splits traffic between arms by share, for A/B tests: `split({ large: 0.9, candidate: 0.1 }, 'key')`. The arms are names of
 * other entries, or have their own: `split({ old: [a, 0.5], new: { to: b, share: 0.5 } })`. An arm is no fallback for another.
 *
 * With `by`, all requests with the same key go to the same arm, in every process, and a change of the shares moves as few keys
 * as possible. Without it, each conversation is assigned at random, by `conversationKey` of the outline; requests without one
 * are assigned one by one. A request that continues a stored response stays in its arm.
 *
 * Throws `ConfigurationError` for shares that do not add up to 1, and for an invalid entry or key.
 */
export function split<const Arms extends SplitArms>(
  arms: Arms,
  by?: RouteKey,
): CombinedRoute<
  { [Arm in keyof Arms]: Arms[Arm] extends number ? Arm & string : NamesIn<Arms[Arm]> }[keyof Arms]
> {
  if (typeof arms !== 'object' || arms === null || Array.isArray(arms)) {
    throw configurationError('split()', [], arms, 'shares by name, such as { large: 0.9, candidate: 0.1 }')
  }
  const names = Object.keys(arms)
  const pairs = names.map(name => armOf(name, arms[name]))
  const parts = pairs.map(([entry], at) => linkRoute(entry, { source: 'split()', path: [names[at]!] }))
  const shares = checkShares(
    names,
    pairs.map(([, share]) => share),
  )
  const keyOf = by === undefined ? undefined : routeKey(by, 'split()')
  const distances = rendezvous(names, shares)
  const drawn = byChance(shares)
  const choose = (draft: Draft, context: RouteContext): number => {
    const key = keyOf === undefined ? conversationOf(draft, context) : keyOf(draft, context)
    return key === undefined ? drawn(draft, context) : nearest(distances, key)
  }
  return combinedRoute(parts, steps => {
    // An arm with a share of 0 gets no requests.
    const isOpen = (at: number) => shares[at]! > 0
    return {
      ...oneOf(steps, (draft, context) => {
        const last = keyOf === undefined ? armOfLast(steps, draft) : -1
        return last !== -1 && isOpen(last) ? last : choose(draft, context)
      }),
      ways: waysOf(steps.filter((_, at) => isOpen(at))),
    }
  })
}

/** Returns the arm that answered the conversation last; -1 if it is not known. */
function armOfLast(steps: readonly LinkedRoute[], { lastTarget }: Draft): number {
  if (lastTarget === undefined) return -1
  return steps.findIndex(({ targets }) => targets.some(target => targetNameOf(target) === lastTarget))
}

function armOf(name: string, arm: unknown): readonly [entry: unknown, share: unknown] {
  if (Array.isArray(arm) && arm.length === 2) return [arm[0], arm[1]]
  const isObject = typeof arm === 'object' && arm !== null
  return isObject && 'to' in arm && 'share' in arm ? [arm.to, arm.share] : [name, arm]
}

function checkShares(names: readonly string[], given: readonly unknown[]): readonly number[] {
  if (given.length === 0)
    throw configurationError('split()', [], {}, 'at least one arm, such as { large: 0.9, candidate: 0.1 }')
  const shares = checkWeights('split()', given, at => [names[at]!])
  const sum = shares.reduce((total, share) => total + share, 0)
  if (Math.abs(sum - 1) <= 1e-9) return shares
  const received = `shares with the sum ${Number(sum.toFixed(9))}`
  throw new ConfigurationError('split()', [
    { path: [], received, expected: 'the sum 1, such as 0.9 and 0.1' },
  ])
}

function byChance(shares: readonly number[]): (draft: Draft, context: RouteContext) => number {
  return (_, { random }) => {
    let left = random()
    const found = shares.findIndex(share => {
      left -= share
      return left < 0
    })
    // By rounding, shares may add up to slightly less than 1.
    return found === -1 ? shares.findLastIndex(share => share > 0) : found
  }
}

function nearest(distances: Distances, key: string): number {
  const found = distances(key)
  return found.indexOf(Math.min(...found))
}
