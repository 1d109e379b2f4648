import { GatewayError } from '@sluice/core'
import type { RecordedBodies } from '@sluice/core/store'
import type { LoggedBodies, ReplayedRequest } from './api.ts'
import type { ApiCall } from './api-call.ts'
import { jsonResponse } from './api-response.ts'
import { callStore } from './call-store.ts'
import type { ConsoleBodies } from './console-bodies.ts'

/** Returns the stored bodies of a request. Throws 404 and 503. */
export async function bodiesOf(call: ApiCall): Promise<LoggedBodies> {
  const log = logOf(call)
  const bodies = await storedBodies(log, call.id)
  const { response } = bodies
  return { ...bodies, text: response === undefined ? null : log.responseText(response) }
}

/**
 * Sends a stored request again as the console's own principal, with its models and limits. Throws 404 and 503, and 400 for a request
 * that cannot be sent.
 */
export async function replayBodies(call: ApiCall): Promise<Response> {
  const { request, state, gateway } = call
  const { caller } = state
  if (caller === undefined) {
    throw new GatewayError('unknown_url', {
      message: 'The console sends no requests as itself: createConsole() was given chat: false.',
    })
  }
  const log = logOf(call)
  const stored = await storedBodies(log, call.id)
  const again = new Request(request.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: bodyOf(log, stored),
    signal: request.signal,
  })
  // Otherwise the cache would respond with what the console has got before.
  const response = await caller.send(again, gateway, stored.path, { 'cache-control': 'no-cache, no-store' })
  if (response.status === 429) return response
  const text = await response.text()
  const detail = state.recent.get(response.headers.get('x-request-id') ?? '')
  const replayed: ReplayedRequest = {
    status: response.status,
    response: text,
    text: log.responseText(text),
    ...(detail !== undefined && { request: detail }),
  }
  return jsonResponse(replayed)
}

function logOf({ state }: ApiCall): ConsoleBodies {
  if (state.bodies !== undefined) return state.bodies
  throw new GatewayError('unknown_url', {
    message: 'No bodies are stored: createConsole() was given no bodies.',
  })
}

async function storedBodies(log: ConsoleBodies, id: string): Promise<RecordedBodies> {
  const found = await callStore('bodies', () => log.get(id).catch(toKeyError))
  if (found instanceof GatewayError) throw found
  if (found !== undefined) return found
  throw new GatewayError('unknown_url', {
    message: 'No bodies of this request are stored, or they have expired.',
  })
}

/** Returns the error of bodies whose key is not there, which is no failure of the database; throws any other. */
function toKeyError(cause: unknown): GatewayError {
  if (!isNamed(cause, 'BodyKeyError')) throw cause
  const message =
    'The bodies cannot be decrypted: their key is not among those of the gateway, or they were changed.'
  return new GatewayError('ledger_unavailable', { message, cause })
}

function bodyOf(log: ConsoleBodies, stored: RecordedBodies): string {
  try {
    return log.replayBody(stored)
  } catch (error) {
    if (!isNamed(error, 'ReplayError')) throw error
    throw new GatewayError('invalid_request', { message: error.message })
  }
}

function isNamed(error: unknown, name: string): error is Error {
  return error instanceof Error && error.name === name
}
