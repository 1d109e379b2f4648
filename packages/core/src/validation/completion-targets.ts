import type { Target } from '../contracts/provider.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { GatewayError } from '../errors/errors.ts'
import { memberOf } from '../primitives/own-members.ts'
import { selectTargets } from './accepting-targets.ts'
import { operationNames, unsupportedOperation } from './capable-targets.ts'

/**
 * Returns the targets whose vendors complete texts, in order. Removes shadows that do not in the same way.
 *
 * @param log - records the targets and shadows that are removed.
 * @throws GatewayError 400, with the reason of the first target, if no target remains.
 */
export function selectCompletionTargets<T extends RoutedTarget>(
  targets: readonly T[],
  log: Pick<RouteContext, 'skip'>,
): readonly T[] {
  let reason: GatewayError | undefined
  const capable = selectTargets(targets, target => {
    const unsupported = unsupportedModel(target)
    if (unsupported === undefined) return target
    reason ??= unsupported
    log.skip(target, { why: 'unfit', detail: 'model' })
    return undefined
  })
  if (capable.length === 0 && reason !== undefined) throw reason
  return capable
}

function unsupportedModel({ provider, capabilities }: Target): GatewayError | undefined {
  const unsupported = capabilities && unsupportedOperation('complete', capabilities)
  if (unsupported !== undefined) return unsupported
  if (memberOf(provider, 'complete') !== undefined) return undefined
  return new GatewayError('unsupported_value', {
    message: `This model does not support ${operationNames.complete}. Use chat completions instead.`,
    param: 'model',
  })
}
