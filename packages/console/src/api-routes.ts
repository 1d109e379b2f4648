import { GatewayError } from '@sluice/core'
import { alertRows } from './alert-rows.ts'
import type { About, RouteRow } from './api.ts'
import type { ApiCall } from './api-call.ts'
import { emptyResponse, eventStreamResponse, fileResponse, jsonResponse } from './api-response.ts'
import { callStore } from './call-store.ts'
import type { ConsoleState } from './console-state.ts'
import { hookRows } from './hook-rows.ts'
import type { KeyApi } from './keys/key-api.ts'
import { bodiesOf, replayBodies } from './log-bodies.ts'
import { type ConsoleLog, exportLog, logParameters, repeatedLogParameters, searchLog } from './log-search.ts'
import { keyBudgets } from './overview/key-budgets.ts'
import { ledgerOverview, logOverview, memoryOverview } from './overview/overview.ts'
import { queryMinutes } from './overview/query-minutes.ts'
import { querySeries } from './query-series.ts'
import { routeRows } from './route-rows.ts'
import { testTarget } from './targets/test-target.ts'
import { usageParameters, usageRows } from './usage-rows.ts'

type ApiHandler = (call: ApiCall) => Response | Promise<Response>

/** Every path of the API below `/console/api`, and what answers it by its method. */
export const apiRoutes: Readonly<Record<string, Readonly<Record<string, ApiHandler>>>> = {
  '/about': { GET: call => plain(call, aboutOf(call)) },
  '/requests': { GET: call => plain(call, { requests: call.state.recent.list() }) },
  '/requests/{id}': { GET: call => plain(call, requestOf(call)) },
  '/log': { GET: async call => jsonResponse(await searchLog(logOf(call), logQueryOf(call))) },
  '/log/{id}': { GET: async call => plain(call, await loggedRequestOf(call)) },
  '/log/{id}/bodies': { GET: async call => plain(call, await bodiesOf(call)) },
  '/log/{id}/replay': {
    POST: call => {
      queryOf(call.request.url, [])
      return replayBodies(call)
    },
  },
  '/log.csv': {
    GET: call =>
      fileResponse(
        exportLog(logOf(call), 'csv', logQueryOf(call)),
        'requests.csv',
        'text/csv; charset=utf-8',
      ),
  },
  '/log.jsonl': {
    GET: call =>
      fileResponse(exportLog(logOf(call), 'jsonl', logQueryOf(call)), 'requests.jsonl', 'application/jsonl'),
  },
  '/overview': {
    GET: ({ request, state }) => jsonResponse(memoryOverview(state, minutesOf(request))),
  },
  '/overview/{id}': { GET: async call => jsonResponse(await overviewOf(call)) },
  '/live': { GET: liveOf },
  '/series': {
    GET: ({ request, state }) =>
      jsonResponse(querySeries(state.series, state.minutes, queryOf(request.url, ['by', 'minutes']))),
  },
  '/usage': { GET: usageOf },
  '/routes': { GET: call => plain(call, { models: routesOf(call) }) },
  '/target-tests': {
    POST: call => {
      queryOf(call.request.url, [])
      return testTarget(call)
    },
  },
  '/hooks': { GET: call => plain(call, { hooks: hookRows(call) }) },
  '/alerts': { GET: call => plain(call, { alerts: alertRows(call) }) },
  '/chat': { POST: call => chatOf(call, '/chat/completions') },
  '/messages': { POST: call => chatOf(call, '/messages') },
  '/responses': { POST: call => chatOf(call, '/responses') },
  '/keys': {
    GET: async call => plain(call, await keysOf(call).list()),
    POST: async call => jsonResponse(await keysOf(call).issue(call.request), 201),
  },
  '/keys/{id}': {
    PATCH: async call => jsonResponse(await keysOf(call).update(call.id, call.request)),
    DELETE: async call => {
      await keysOf(call).delete(call.id)
      return emptyResponse()
    },
  },
  '/keys/{id}/rotate': {
    POST: async call => jsonResponse(await keysOf(call).rotate(call.id, call.request)),
  },
}

function minutesOf({ url }: Request): number {
  return queryMinutes(queryOf(url, ['minutes']))
}

async function overviewOf(call: ApiCall): Promise<unknown> {
  const { id, request, state } = call
  if (id === 'ledger') return ledgerOverview(usageFunctionOf(call), minutesOf(request), state.now())
  if (id === 'budgets') {
    queryOf(request.url, [])
    return keyBudgets(keysOf(call), state)
  }
  if (id === 'log') return logOverview(logOf(call), minutesOf(request), state.now())
  throw new GatewayError('unknown_url', { message: 'The console has no such path.' })
}

/** For a path without a query. */
function plain({ request }: ApiCall, value: unknown): Response {
  queryOf(request.url, [])
  return jsonResponse(value)
}

function aboutOf({ state, gateway, mount }: ApiCall): About {
  const { basePath: base, teamTag, startedAt } = state
  const bodiesRetentionMs = state.bodies?.retentionMs
  return {
    base: mount.endsWith(base) ? '' : base,
    models: gateway.models,
    chat: state.caller !== undefined,
    keys: state.keys !== undefined,
    ledger: state.usage !== undefined,
    log: state.log !== undefined,
    bodies: state.bodies !== undefined,
    ...(bodiesRetentionMs !== undefined && { bodiesRetentionMs }),
    hooks: state.hooks !== undefined,
    alerts: state.alerts !== undefined,
    startedAt,
    teamTag,
  }
}

function routesOf({ gateway, state }: ApiCall): RouteRow[] {
  return routeRows(gateway, state.targets, state.now())
}

function requestOf({ state, id }: ApiCall): unknown {
  const request = state.recent.get(id)
  if (request !== undefined) return request
  throw new GatewayError('unknown_url', { message: 'There is no such request, or it is kept no more.' })
}

async function loggedRequestOf(call: ApiCall): Promise<unknown> {
  const log = logOf(call)
  const request = await callStore('log', () => log.get(call.id))
  if (request !== undefined) return request
  throw new GatewayError('unknown_url', { message: 'The request log has no such request.' })
}

function logQueryOf({ request }: ApiCall): URLSearchParams {
  return queryOf(request.url, logParameters, repeatedLogParameters)
}

function logOf({ state }: ApiCall): ConsoleLog {
  if (state.log !== undefined) return state.log
  throw new GatewayError('unknown_url', {
    message: 'There is no request log: createConsole() was given no log.',
  })
}

function liveOf({ request, state, gateway }: ApiCall): Response {
  queryOf(request.url, [])
  const stream = state.live.listen(request.signal, () => gateway.ready)
  state.group?.watch()
  return eventStreamResponse(stream)
}

function chatOf({ request, state, gateway }: ApiCall, path: string): Promise<Response> {
  queryOf(request.url, [])
  if (state.caller !== undefined) return state.caller.send(request, gateway, `${state.basePath}${path}`)
  throw new GatewayError('unknown_url', {
    message:
      "The console does not chat as itself: createConsole() was given chat: false. Use a caller's key.",
  })
}

async function usageOf(call: ApiCall): Promise<Response> {
  const query = queryOf(call.request.url, usageParameters)
  return jsonResponse(await usageRows(usageFunctionOf(call), query))
}

function usageFunctionOf({ state }: ApiCall): NonNullable<ConsoleState['usage']> {
  if (state.usage !== undefined) return state.usage
  throw new GatewayError('unknown_url', {
    message: 'There is no ledger: createConsole() was given no usage.',
  })
}

function keysOf({ state }: ApiCall): KeyApi {
  if (state.keys !== undefined) return state.keys
  throw new GatewayError('unknown_url', {
    message: 'Keys cannot be managed here: createConsole() was given no keys.',
  })
}

/** The parameters of a URL. Throws 400 for another name than these, and for one that comes twice unless it is `repeated`. */
export function queryOf(
  url: string,
  names: readonly string[],
  repeated: readonly string[] = [],
): URLSearchParams {
  const query = new URL(url).searchParams
  for (const name of query.keys()) {
    if (!names.includes(name)) {
      throw new GatewayError('unknown_parameter', {
        message: `The query has a name that is not known here. Known are: ${names.join(', ') || 'none'}.`,
      })
    }
    if (!repeated.includes(name) && query.getAll(name).length > 1) {
      throw new GatewayError('invalid_value', { message: `The query has ${name} twice.`, param: name })
    }
  }
  return query
}
