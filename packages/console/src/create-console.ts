import { ConfigurationError, type Endpoint, type Observer, type Principal } from '@sluice/core'
import { configurationError, quoted } from '@sluice/core/adapter'
import { page } from '#page'
import { adminGate } from './admin-gate.ts'
import { consoleCaller } from './chat/console-caller.ts'
import { consoleEndpoint } from './console-endpoint.ts'
import type { ConsoleGateway } from './console-gateway.ts'
import { consoleGroup } from './console-group.ts'
import { type ConsoleOptions, resolveOptions } from './console-options.ts'
import type { ConsoleState } from './console-state.ts'
import { keyApi } from './keys/key-api.ts'
import { liveHub } from './live/live-hub.ts'
import { budgetLog } from './overview/budget-log.ts'
import { recentRequests } from './recent/recent-requests.ts'
import { requestRow } from './recent/request-row.ts'
import { createSeriesRecorder } from './series/series-recorder.ts'
import { targetLog } from './targets/target-log.ts'

/** The console of a gateway: an observer, an authenticator for its chat, and an endpoint with the page. */
export interface Console {
  /** Pass it to the gateway as `observe`. It costs microseconds per request, and nothing per chunk. */
  readonly observe: Observer
  /**
   * Pass it to the gateway as `authenticate`, before all others: `firstOf(adminConsole.authenticate, apiKeys(keys))`. It
   * authenticates the requests of the console's own chat as the principal `console`. The admin key is not an API key.
   */
  readonly authenticate: (request: Request) => Principal | undefined
  /**
   * Returns the page under `/console/` and its API under `/console/api/`, for `withEndpoints`. Throws `ConfigurationError`
   * for a gateway without `targets()`, or with another `basePath` than the console.
   */
  endpoint(gateway: ConsoleGateway): Endpoint
  /** Closes the connections of `/live`. Afterwards events are ignored and the API returns 503. Safe to call twice. */
  close(): void
}

/**
 * Creates the web console of a gateway: a page, protected by the admin key, with the requests in flight, sums over the last
 * minutes and the health of targets. With a database it also has the API keys and their usage.
 *
 * Its data is in memory and bounded: at most 500 requests, without their prompts and responses, and the sums of the last 180
 * minutes. It is lost when the process ends; the ledger has the permanent records.
 *
 * Throws `ConfigurationError` for invalid options, such as an admin key of fewer than 16 characters.
 */
export function createConsole(options: ConsoleOptions): Console {
  const {
    adminKey,
    keys,
    usage,
    ownUsage,
    log,
    bodies,
    hooks,
    alerts,
    chat,
    teamTag,
    basePath,
    maxRequests,
    minutes,
    group,
    onError,
    now,
  } = resolveOptions(options)
  const caller = chat === false ? undefined : consoleCaller(chat)
  const live = liveHub()
  const targets = targetLog(now)
  const budgets = budgetLog(now)
  const recent = recentRequests(maxRequests, teamTag, targets, request => {
    if (live.hasReaders) live.request(requestRow(request))
    if (joined?.isWatched) joined.send({ request: requestRow(request) })
  })
  const series = createSeriesRecorder(minutes, teamTag, now)
  const settings = { maxRequests, minutes, teamTag, now }
  const joined = group && consoleGroup(group, { recent, series, budgets, targets }, live, settings)
  const admit = adminGate(adminKey, now)
  let closed = false
  const state: ConsoleState = {
    recent,
    series,
    targets,
    budgets,
    minutes,
    live,
    group: joined,
    keys: keys && keyApi(keys),
    caller,
    usage,
    ownUsage,
    log,
    bodies,
    hooks,
    alerts,
    basePath,
    teamTag,
    startedAt: now(),
    now,
    get closed() {
      return closed
    },
  }
  const failed = (error: unknown) => {
    try {
      onError(error)
    } catch {
      // An error of the callback must not fail the response.
    }
  }
  return {
    authenticate: request => caller?.authenticate(request),
    observe(event) {
      if (closed) return
      targets.observe(event)
      recent.observe(event)
      budgets.observe(event)
      if (event.type === 'end') series.add(event)
      if (event.type === 'target' && (live.hasReaders || joined?.isWatched)) {
        const { provider, model, state, waitMs } = event
        const target = { provider, model, state, waitMs }
        if (live.hasReaders) live.target(target)
        if (joined?.isWatched) joined.send({ target })
      }
    },
    endpoint(gateway) {
      if (typeof gateway?.targets !== 'function') {
        throw configurationError('endpoint()', [], gateway, 'what createGateway() returns, with targets()')
      }
      if (!gateway.matches(`${basePath}/models`)) {
        throw new ConfigurationError('endpoint()', [
          {
            path: ['basePath'],
            received: `${quoted(basePath)}, under which the gateway has no models`,
            expected: 'the basePath of createGateway()',
          },
        ])
      }
      return consoleEndpoint(gateway, state, page, admit, failed)
    },
    close() {
      closed = true
      live.close()
      joined?.close()
    },
  }
}
