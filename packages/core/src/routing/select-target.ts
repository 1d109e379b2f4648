import type { TargetName } from '../contracts/host.ts'
import type { Target } from '../contracts/provider.ts'
import type { Route, RoutedTarget } from '../contracts/route.ts'
import { GatewayError } from '../errors/errors.ts'

/**
 * Returns one target of a model by its name, to be called once and alone. A target that the route has not chosen this time needs
 * permission for each further name on any way from the model to a target. Throws `GatewayError` (404) if there is no such target.
 */
export function selectTarget(
  name: TargetName,
  model: string,
  chosen: readonly RoutedTarget[],
  route: Route,
): RoutedTarget {
  const isNamed = (target: Target) => target.provider.name === name.provider && target.model === name.model
  const found = chosen.find(isNamed)
  if (found !== undefined) return alone(found)
  const known = route.targetsOf?.(model).find(isNamed)
  if (known === undefined)
    throw new GatewayError('model_not_found', { message: 'The model has no such target.' })
  const via = [...new Set(route.waysOf?.(model).flat() ?? [])]
  return alone({ ...known, ...(via.length > 0 && { via }) })
}

function alone(target: RoutedTarget): RoutedTarget {
  const { fallbackOn: _, hedgeAfterMs: __, shadows: ___, ...rest } = target
  return { ...rest, callOptions: { ...target.callOptions, retry: false } }
}
