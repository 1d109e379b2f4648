import { GatewayError, type Principal } from '@sluice/core'
import type { ApiCall } from './api-call.ts'
import { jsonResponse } from './api-response.ts'
import { queryOf } from './api-routes.ts'
import { ownUsageParameters, ownUsageRows } from './usage-rows.ts'

/**
 * Answers `GET /own-usage`: what a caller itself used, with its own key. The gateway authenticates it as any other request.
 * Throws 404 where callers cannot ask for it.
 */
export async function ownUsage({ request, mount, gateway, state }: Omit<ApiCall, 'id'>): Promise<Response> {
  if (state.usage === undefined || !state.ownUsage) {
    throw new GatewayError('unknown_url', { message: 'Callers cannot ask for their usage here.' })
  }
  const query = queryOf(request.url, ownUsageParameters)
  let principal: Principal | undefined
  const { headers, signal } = request
  const models = new URL(`${mount}${state.basePath}/models`, request.url)
  const onPrincipal = (found: Principal) => {
    principal = { ...found }
  }
  const answer = await gateway.fetch(new Request(models, { headers, signal }), { mount, onPrincipal })
  // Who could not be authenticated gets the error of the gateway.
  if (principal === undefined || !answer.ok) return answer
  await answer.body?.cancel()
  return jsonResponse(await ownUsageRows(state.usage, principal, query))
}
