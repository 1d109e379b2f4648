import type { CacheableRequest } from '../caching/response-cache.ts'
import type { Dialect } from '../contracts/dialect.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import type { InputRequest } from '../usage/usage.ts'
import type { Decision } from './decide.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { cachedResponse, replay } from './stored-response.ts'

/**
 * Opens the ledger entry of a valid request that no stream answers. Returns its response if the cache has one.
 *
 * @param valid - the request, and at least one target that can serve it.
 */
export async function openOrReplay<Host>(
  dialect: Dialect,
  request: Request,
  { draft, targets: permitted }: Decision,
  valid: { readonly request: CacheableRequest & InputRequest; readonly targets: readonly RoutedTarget[] },
  { cache }: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
): Promise<GatewayResponse | undefined> {
  if (valid.targets !== permitted) context.routing.setOrder(valid.targets)
  const opening = accounting.opened({ request: valid.request, adjustments: [] }, valid.targets[0]!)
  if (opening !== undefined) await opening
  if (cache === undefined) return undefined
  const cached = await cachedResponse(request, draft, valid.request, cache, context, accounting)
  return cached && replay(cached, dialect, context, accounting)
}
