import { type Endpoint, GatewayError } from '@sluice/core'
import { errorResponse } from './api-response.ts'
import type { ConsoleGateway } from './console-gateway.ts'
import type { ConsoleState } from './console-state.ts'
import { dispatchApi } from './dispatch-api.ts'
import { OwnUsageQueries, ownUsage } from './own-usage.ts'
import type { Page } from './page.ts'
import { pageFile } from './page-files.ts'
import { secureHeaders } from './secure-headers.ts'

const api = '/console/api'

/** Creates the page and its API for one gateway. `admit` throws for callers other than admins; `failed` receives internal errors. */
export function consoleEndpoint(
  gateway: ConsoleGateway,
  state: ConsoleState,
  page: Page,
  admit: (request: Request) => void,
  failed: (error: unknown) => void,
): Endpoint {
  const queries = new OwnUsageQueries()
  const answer = (request: Request, path: string): Response | Promise<Response> => {
    if (path === '/console') return redirect()
    if (path !== api && !path.startsWith(`${api}/`))
      return pageFile(page, path.slice('/console/'.length), request.method)
    const whole = pathOf(request.url)
    const mount = whole.endsWith(path) ? whole.slice(0, -path.length) : ''
    if (path === `${api}/own-usage` && request.method === 'GET' && !state.closed) {
      return ownUsage({ request, mount, gateway, state }, queries)
    }
    admit(request)
    if (state.closed) throw new GatewayError('shutting_down')
    return dispatchApi(path.slice(api.length), { request, mount, gateway, state })
  }
  return {
    matches: path => path === '/console' || path.startsWith('/console/'),
    async fetch(request, path) {
      try {
        return await answer(request, path)
      } catch (error) {
        const inside = GatewayError.is(error) ? error.cause : error
        if (inside !== undefined) failed(inside)
        return errorResponse(error)
      }
    },
  }
}

/** Relative, so that it is right under any mount, and behind a proxy that takes a part of the path away. */
function redirect(): Response {
  return new Response(null, { status: 302, headers: { ...secureHeaders, location: 'console/' } })
}

function pathOf(url: string): string {
  return new URL(url).pathname
}
