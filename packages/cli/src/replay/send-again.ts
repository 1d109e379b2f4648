import { createGateway, type EndEvent, type Principal } from '@sluice/core'
import { ReplayError } from '@sluice/log'
import { type CommandContext, CommandError } from '../command.ts'
import { recheckConfig } from '../config/check-config.ts'
import { compileConfig } from '../config/compile-config.ts'
import type { TypedConfig } from '../config/config.ts'
import { gatewayOptions } from '../config/gateway-options.ts'
import { VendorPool } from '../config/providers/vendor-pool.ts'
import { loadPrices } from '../service/load-prices.ts'
import type { State } from '../state/open-state.ts'
import type { StoredRequest } from './stored-request.ts'

/** One of the two responses that are compared. `null`: not known. */
export interface ComparedResponse {
  readonly requestId: string
  readonly status: number
  /** The provider and its model. */
  readonly target: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  /** US dollars. */
  readonly cost: number | null
  readonly ms: number | null
  /** The text of the response; of a stream it is joined. */
  readonly text: string | null
  /** Whether the text ends after the maximum size of a stored response. */
  readonly truncated: boolean
}

/** Who a replay is in the ledger. */
const principal: Principal = { id: 'replay', source: 'sluice' }

/** Returns the response that was stored. */
export function storedResponse({ bodies, row, bodyLog }: StoredRequest): ComparedResponse {
  const { response } = bodies
  return {
    requestId: bodies.requestId,
    status: bodies.status,
    target: row?.provider == null ? null : `${row.provider}/${row.upstreamModel}`,
    promptTokens: row?.promptTokens ?? null,
    completionTokens: row?.completionTokens ?? null,
    cost: row?.cost ?? null,
    ms: row?.totalMs ?? null,
    text: response === undefined ? null : bodyLog.responseText(response),
    truncated: bodies.responseTruncated,
  }
}

/**
 * Sends a stored request again, through a gateway of the configuration in this process. Its hooks run again, no cache is read, and
 * nothing of it is stored but its record in the ledger. Throws `CommandError` if the request cannot be sent.
 */
export async function sendAgain(
  stored: StoredRequest,
  config: TypedConfig,
  state: State,
  context: CommandContext,
): Promise<ComparedResponse> {
  const { path } = stored.bodies
  const body = bodyOf(stored)
  const { issues } = recheckConfig(config)
  const compiled = compileConfig(config, issues, new VendorPool())
  const prices = await loadPrices(config, context.cwd)
  let end: EndEvent | undefined
  const {
    bodies: _,
    background: __,
    cache: ___,
    idempotency: ____,
    ...options
  } = gatewayOptions(compiled, {
    ...state,
    responses: false,
    prices,
    observe: undefined,
  })
  const gateway = createGateway({
    ...options,
    responses: false,
    authenticate: () => principal,
    observe: event => {
      if (event.type === 'end') end = event
    },
  })
  try {
    const request = new Request(`http://sluice${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: context.signal,
    })
    const response = await gateway.fetch(request)
    const text = stored.bodyLog.responseText(await response.text())
    return { ...summaryOf(end), status: response.status, text, truncated: false }
  } finally {
    await gateway.close({ drainMs: 0 })
  }
}

function bodyOf({ bodies, bodyLog }: StoredRequest): string {
  try {
    return bodyLog.replayBody(bodies)
  } catch (error) {
    if (error instanceof ReplayError) throw new CommandError(`replay: ${error.message}`)
    throw error
  }
}

function summaryOf(end: EndEvent | undefined): Omit<ComparedResponse, 'status' | 'text' | 'truncated'> {
  const called = end?.attempts.filter(attempt => attempt.called) ?? []
  const final = called.find(({ error }) => error === undefined) ?? called.at(-1)
  return {
    requestId: end?.requestId ?? '',
    target: final === undefined ? null : `${final.provider}/${final.model}`,
    promptTokens: end?.usage?.prompt_tokens ?? null,
    completionTokens: end?.usage?.completion_tokens ?? null,
    cost: end?.cost ?? null,
    ms: end === undefined ? null : Math.round(end.timings.total * 10) / 10,
  }
}
