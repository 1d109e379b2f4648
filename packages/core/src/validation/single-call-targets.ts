import type { ModerateRequest } from '../contracts/moderation.ts'
import type { Target } from '../contracts/provider.ts'
import type { RerankRequest } from '../contracts/rerank.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { GatewayError } from '../errors/errors.ts'
import { memberOf } from '../primitives/own-members.ts'
import { selectTargets } from './accepting-targets.ts'
import { operationNames, unsupportedOperation } from './capable-targets.ts'

/** A request that one call answers. */
type SingleCallRequest = RerankRequest | ModerateRequest

/**
 * Returns the targets that can serve a request to rank documents or to moderate texts, in order. Removes shadows that cannot in the
 * same way.
 *
 * @param log - records the targets and shadows that are removed.
 * @throws GatewayError 400, with the reason of the first target, if no target remains.
 */
export function selectSingleCallTargets<T extends RoutedTarget>(
  operation: 'rerank' | 'moderate',
  request: SingleCallRequest,
  targets: readonly T[],
  log: Pick<RouteContext, 'skip'>,
): readonly T[] {
  let reason: GatewayError | undefined
  const capable = selectTargets(targets, target => {
    const unsupported = unsupportedRequest(operation, request, target)
    if (unsupported === undefined) return target
    reason ??= unsupported
    log.skip(target, { why: 'unfit', ...(unsupported.param !== null && { detail: unsupported.param }) })
    return undefined
  })
  if (capable.length === 0) throw reason ?? unsupportedModel(operation)
  return capable
}

function unsupportedRequest(
  operation: 'rerank' | 'moderate',
  request: SingleCallRequest,
  { provider, capabilities }: Target,
): GatewayError | undefined {
  const unsupported = capabilities && unsupportedOperation(operation, capabilities)
  if (unsupported !== undefined) return unsupported
  if (memberOf(provider, operation) === undefined) return unsupportedModel(operation)
  const { maxDocuments = Number.POSITIVE_INFINITY } = memberOf(provider, 'rerank') ?? {}
  if (!('documents' in request) || request.documents.length <= maxDocuments) return undefined
  return new GatewayError('array_above_max_length', {
    message: `Invalid 'documents': array too long. This model ranks at most ${maxDocuments} documents, but got ${request.documents.length}.`,
    param: 'documents',
  })
}

function unsupportedModel(operation: 'rerank' | 'moderate'): GatewayError {
  return new GatewayError('unsupported_value', {
    message: `This model does not support ${operationNames[operation]}.`,
    param: 'model',
  })
}
