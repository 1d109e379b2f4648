import { GatewayError } from '@sluice/core'
import type { TargetTest } from '../api.ts'
import type { ApiCall } from '../api-call.ts'
import { jsonResponse } from '../api-response.ts'
import { readJson } from '../read-json.ts'

/** Some vendors refuse fewer. */
const maxTokens = 16
const timeoutMs = 30_000

/**
 * Sends a short chat completion to one target as the console's own principal, within its models and limits: it is charged and logged
 * like any other. Throws 400 for an invalid body, and 404 where the console sends nothing as itself.
 */
export async function testTarget({ request, state, gateway }: ApiCall): Promise<Response> {
  const { caller, basePath, recent } = state
  if (caller === undefined) {
    throw new GatewayError('unknown_url', {
      message: 'The console sends no requests as itself: createConsole() was given chat: false.',
    })
  }
  const given = await readJson(request, ['model', 'provider', 'target'])
  const [model, provider, target] = [
    textOf(given, 'model'),
    textOf(given, 'provider'),
    textOf(given, 'target'),
  ]
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
  const test = new Request(request.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Reply with: OK' }],
      max_completion_tokens: maxTokens,
    }),
    signal,
  })
  const began = performance.now()
  const response = await caller.send(
    test,
    gateway,
    `${basePath}/chat/completions`,
    { 'cache-control': 'no-cache, no-store' },
    { onlyTarget: { provider, model: target } },
  )
  const answer: unknown = await response.json().catch(() => undefined)
  const detail = recent.get(response.headers.get('x-request-id') ?? '')
  const error = response.ok ? undefined : errorOf(answer, signal.aborted && !request.signal.aborted)
  const result: TargetTest = {
    status: response.status,
    ms: Math.round(performance.now() - began),
    ...(error !== undefined && { error }),
    ...(detail !== undefined && { request: detail }),
  }
  return jsonResponse(result)
}

function textOf(given: Readonly<Record<string, unknown>>, param: string): string {
  const text = given[param]
  if (typeof text === 'string' && text !== '' && text.length <= 300) return text
  throw new GatewayError('invalid_value', {
    message: `${param} must be a text of 1 to 300 characters.`,
    param,
  })
}

/** The gateway's message, as a client gets it. */
function errorOf(answer: unknown, isLate: boolean): string {
  if (isLate) return `There was no response within ${timeoutMs / 1_000} seconds.`
  const { error } = (answer ?? {}) as { error?: { message?: unknown } }
  return typeof error?.message === 'string' ? error.message : 'The response has no message.'
}
