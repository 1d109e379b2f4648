import type { Draft } from '../contracts/draft.ts'
import type { Target } from '../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { sha256Hex } from '../primitives/sha256.ts'
import { realmOf } from '../validation/realm.ts'

/**
 * Names a target for the requests that continue its response: the same in all processes, and another one for other settings, so
 * that the arms of an A/B split differ. A digest, which tells nothing of the target.
 */
export function targetNameOf(target: Target): string {
  const { model, parameters = {} } = target
  // The gateway sets the maximum of the output by itself.
  const { max_completion_tokens: _, ...settings } = parameters
  return sha256Hex(JSON.stringify([realmOf(target), model, settings])).slice(0, 16)
}

/**
 * Returns the targets with the one first that answered the conversation last, if it is among them and available: its vendor may
 * have cached the prompt, and alone can read the reasoning that it encrypted. The others keep their order.
 */
export function lastTargetFirst(
  targets: readonly RoutedTarget[],
  { lastTarget }: Draft,
  { health }: Pick<RouteContext, 'health'>,
): readonly RoutedTarget[] {
  if (lastTarget === undefined || targets.length < 2) return targets
  // More than one where several names of the table lead to it.
  const last = targets.filter(target => targetNameOf(target) === lastTarget)
  const [found] = last
  if (found === undefined || found === targets[0] || health(found).waitMs > 0) return targets
  const order = [...last, ...targets.filter(target => !last.includes(target))]
  if (targets.every(({ hedgeAfterMs }) => hedgeAfterMs === undefined)) return order
  // A hedge belongs to the place on the route: whichever target is called first, the second may be called too.
  return order.map(({ hedgeAfterMs: _, ...target }, index) => {
    const { hedgeAfterMs } = targets[index]!
    return hedgeAfterMs === undefined ? target : { ...target, hedgeAfterMs }
  })
}
