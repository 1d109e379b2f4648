import type { EmbedDialect } from '../contracts/dialect.ts'
import type { Draft } from '../contracts/draft.ts'
import type { EmbedRequest } from '../contracts/embedding.ts'
import type { Principal } from '../contracts/principal.ts'
import type { RouteContext, RoutedTarget } from '../contracts/route.ts'
import { isRestricted, permittedTargets } from '../routing/restricted-fields.ts'
import { selectEmbedTargets } from '../validation/embed-targets.ts'
import type { ValidationRules } from './validate-request.ts'

/** A valid request for embeddings and the targets that can serve it. */
export interface ValidatedEmbedRequest<T extends RoutedTarget> {
  readonly request: EmbedRequest
  /** At least one, all of one embedding space. */
  readonly targets: readonly T[]
}

/**
 * Validates a request for embeddings, and selects the targets that can serve it.
 *
 * @param log - records the targets that cannot.
 * @throws GatewayError 400, also if no target can serve the request.
 */
export function validateEmbedRequest<T extends RoutedTarget>(
  dialect: EmbedDialect,
  draft: Draft,
  principal: Principal,
  targets: readonly T[],
  rules: ValidationRules,
  log: Pick<RouteContext, 'skip'>,
): ValidatedEmbedRequest<T> {
  const request = dialect.read(draft, rules)
  const permitted =
    request.extra === undefined || !isRestricted(principal, rules.boundsAll)
      ? targets
      : permittedTargets(draft.body, Object.keys(request.extra), [], targets, log)
  return { request, targets: selectEmbedTargets(request, permitted, log) }
}
