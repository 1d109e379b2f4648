import { GatewayError, type Principal, type PrincipalId } from '@sluice/core'
import type { UsageQuery, UsageRow } from '@sluice/core/ledger'
import type { ApiCall } from './api-call.ts'
import { jsonResponse } from './api-response.ts'
import { queryOf } from './api-routes.ts'
import { callStore } from './call-store.ts'
import { ownUsageParameters, ownUsageRows } from './usage-rows.ts'

/** So many queries of one principal may wait or run. The page sends one, and another where its filters change. */
const maxQueries = 4

/**
 * Runs the queries of a principal one after the other. Each may sum all of its records, with SQLite in the thread that serves
 * everybody.
 */
export class OwnUsageQueries {
  readonly #queues = new Map<string, { length: number; last: Promise<unknown> }>()

  /** Throws `GatewayError` 429 if too many queries of the principal wait or run. */
  admit(principal: PrincipalId): void {
    if ((this.#queues.get(ownerOf(principal))?.length ?? 0) < maxQueries) return
    throw new GatewayError('rate_limit_exceeded', {
      message: `${maxQueries} queries of your usage are running. Please try again when they have ended.`,
      headers: { 'retry-after': '1' },
    })
  }

  /** Resolves to the rows of a query once those before it have ended. If its client has disconnected by then, it does not run. */
  async run(
    principal: PrincipalId,
    signal: AbortSignal,
    query: () => Promise<readonly UsageRow[]>,
  ): Promise<readonly UsageRow[]> {
    const owner = ownerOf(principal)
    const queue = this.#queues.get(owner) ?? { length: 0, last: Promise.resolve() }
    this.#queues.set(owner, queue)
    queue.length++
    const result = queue.last.then(() => (signal.aborted ? [] : query()))
    queue.last = result.catch(() => undefined)
    try {
      return await result
    } finally {
      if (--queue.length === 0) this.#queues.delete(owner)
    }
  }
}

/** A source has no spaces. */
function ownerOf({ id, source }: PrincipalId): string {
  return `${source ?? ''} ${id}`
}

/**
 * Answers `GET /own-usage`: what a caller itself used, with its own key. The gateway authenticates it as any other request.
 * Throws 404 where callers cannot ask for it, and 429.
 */
export async function ownUsage(
  { request, mount, gateway, state }: Omit<ApiCall, 'id'>,
  queries: OwnUsageQueries,
): Promise<Response> {
  const { usage } = state
  if (usage === undefined || !state.ownUsage) {
    throw new GatewayError('unknown_url', { message: 'Callers cannot ask for their usage here.' })
  }
  const query = queryOf(request.url, ownUsageParameters)
  let principal: PrincipalId | undefined
  const { headers, signal } = request
  const models = new URL(`${mount}${state.basePath}/models`, request.url)
  const onPrincipal = ({ id, source }: Principal) => {
    principal = { id, source }
  }
  const answer = await gateway.fetch(new Request(models, { headers, signal }), { mount, onPrincipal })
  // Who could not be authenticated gets the error of the gateway.
  if (principal === undefined || !answer.ok) return answer
  await answer.body?.cancel()
  const caller = principal
  queries.admit(caller)
  // With a time of its own: one that never ends must not hold up those behind it for ever.
  const ask = (asked: UsageQuery) =>
    queries.run(caller, signal, () => callStore('ledger', () => usage(asked)))
  return jsonResponse(await ownUsageRows(ask, caller, query))
}
