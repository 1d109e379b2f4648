import type {
  About,
  AlertRow,
  ConfiguredHook,
  IssuedKeyRow,
  KeyBudgets,
  KeyChange,
  KeyForm,
  KeyRow,
  LoggedBodies,
  LoggedRequest,
  LogPage,
  Overview,
  OverviewLog,
  OverviewUsage,
  ReplayedRequest,
  RequestDetail,
  RequestRow,
  RouteRow,
  Series,
  TargetTest,
  UsageAnswer,
} from '../../src/api.ts'
import { ApiError, toApiError } from './api-error.ts'

/** What is asked of the server. All of it rejects with `Refusal`. */
export interface ConsoleApi {
  about(signal?: AbortSignal): Promise<About>
  requests(signal?: AbortSignal): Promise<readonly RequestRow[]>
  request(id: string, signal?: AbortSignal): Promise<RequestDetail>
  /** A page of the request log. */
  log(parameters: URLSearchParams, signal?: AbortSignal): Promise<LogPage>
  logged(id: string, signal?: AbortSignal): Promise<LoggedRequest>
  /** The stored bodies of a request; `null` if none are stored. */
  bodies(id: string, signal: AbortSignal): Promise<LoggedBodies | null>
  /** Sends a stored request again. It costs what a request costs. */
  replay(id: string, signal: AbortSignal): Promise<ReplayedRequest>
  /** All rows of the request log that match, as CSV. */
  logFile(parameters: URLSearchParams): Promise<Blob>
  /** What this process has of the last minutes. */
  overview(minutes: number, signal: AbortSignal): Promise<Overview>
  ledgerOverview(minutes: number, signal: AbortSignal): Promise<OverviewUsage>
  logOverview(minutes: number, signal: AbortSignal): Promise<OverviewLog>
  /** The budgets of stored keys that this process charged nothing to. */
  keyBudgets(signal: AbortSignal): Promise<KeyBudgets>
  /** `minutes` empty: all that are kept. */
  series(by: Series['by'], minutes: string, signal?: AbortSignal): Promise<Series>
  usage(by: readonly string[], from: number, signal?: AbortSignal): Promise<UsageAnswer>
  routes(signal?: AbortSignal): Promise<readonly RouteRow[]>
  /** Sends one short request to a target of a model. It costs what a request costs. */
  testTarget(model: string, provider: string, target: string): Promise<TargetTest>
  /** The configured hooks, in their order. */
  hooks(signal: AbortSignal): Promise<readonly ConfiguredHook[]>
  /** The latest alerts, newest first. */
  alerts(signal: AbortSignal): Promise<readonly AlertRow[]>
  keys(signal?: AbortSignal): Promise<readonly KeyRow[]>
  issue(form: KeyForm): Promise<IssuedKeyRow>
  change(id: string, change: KeyChange): Promise<KeyRow>
  rotate(id: string, overlapMs: number): Promise<IssuedKeyRow>
  remove(id: string): Promise<void>
  /** The answer of `/live`, whose body is server-sent events. */
  live(signal: AbortSignal): Promise<Response>
}

/** Asks with a key; `onUnknown` is called when it is not, or no longer, the admin key. */
export function consoleApi(key: string, onUnknown: () => void): ConsoleApi {
  async function ask(method: string, path: string, signal?: AbortSignal, body?: unknown): Promise<Response> {
    const init: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      cache: 'no-store',
      credentials: 'omit',
      signal: signal ?? null,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const response = await fetch(new URL(`api/${path}`, document.baseURI), init).catch((error: unknown) => {
      if (signal?.aborted === true) throw error
      throw new ApiError('Could not reach the gateway. Is it running?', 0)
    })
    if (response.status === 401) onUnknown()
    if (!response.ok) throw await toApiError(response)
    return response
  }
  const get = async (path: string, signal?: AbortSignal) => (await ask('GET', path, signal)).json()
  const send = async (method: string, path: string, body: unknown) =>
    (await ask(method, path, undefined, body)).json()
  const of = encodeURIComponent

  return {
    about: signal => get('about', signal),
    requests: async signal => (await get('requests', signal)).requests,
    request: (id, signal) => get(`requests/${of(id)}`, signal),
    log: (parameters, signal) => get(`log?${parameters}`, signal),
    logged: (id, signal) => get(`log/${of(id)}`, signal),
    bodies: (id, signal) =>
      get(`log/${of(id)}/bodies`, signal).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }),
    replay: async (id, signal) => (await ask('POST', `log/${of(id)}/replay`, signal)).json(),
    logFile: async parameters => (await ask('GET', `log.csv?${parameters}`)).blob(),
    overview: (minutes, signal) => get(`overview?minutes=${minutes}`, signal),
    ledgerOverview: (minutes, signal) => get(`overview/ledger?minutes=${minutes}`, signal),
    logOverview: (minutes, signal) => get(`overview/log?minutes=${minutes}`, signal),
    keyBudgets: signal => get('overview/budgets', signal),
    series: (by, minutes, signal) =>
      get(`series?by=${by}${minutes === '' ? '' : `&minutes=${minutes}`}`, signal),
    usage: (by, from, signal) => get(`usage?by=${by.map(of).join()}&from=${from}`, signal),
    routes: async signal => (await get('routes', signal)).models,
    testTarget: (model, provider, target) => send('POST', 'target-tests', { model, provider, target }),
    hooks: async signal => (await get('hooks', signal)).hooks,
    alerts: async signal => (await get('alerts', signal)).alerts,
    keys: async signal => (await get('keys', signal)).keys,
    issue: form => send('POST', 'keys', form),
    change: (id, change) => send('PATCH', `keys/${of(id)}`, change),
    rotate: (id, overlapMs) => send('POST', `keys/${of(id)}/rotate`, { overlapMs }),
    remove: async id => {
      await ask('DELETE', `keys/${of(id)}`)
    },
    live: signal => ask('GET', 'live', signal),
  }
}
