import type { Sign } from './signature.ts'

/** Where a webhook is, and how it is called. */
export interface WebhookEndpoint {
  readonly url: string
  readonly sign: Sign
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly now: () => number
  readonly random: () => number
}

/** Delays before further attempts, in milliseconds: each is random, between a half of it and all of it. */
const firstDelayMs = 100
const maxDelayMs = 1_000

/** A failure that another attempt may not have: no connection, or a status such as 503. */
class TemporaryError extends Error {}

/**
 * Posts a text, and returns the JSON of the response. Connections that fail and statuses 429 and 5xx are tried again until the
 * timeout. Rejects with an error that has nothing of the message, of the response or of the URL.
 */
export async function postJson(
  endpoint: WebhookEndpoint,
  body: string,
  signal: AbortSignal,
): Promise<unknown> {
  const deadline = endpoint.now() + endpoint.timeoutMs
  const limit = AbortSignal.any([signal, AbortSignal.timeout(endpoint.timeoutMs)])
  for (let attempt = 0; ; attempt++) {
    try {
      return await post(endpoint, body, limit)
    } catch (error) {
      if (!(error instanceof TemporaryError)) throw error
      const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** attempt) * (0.5 + endpoint.random() / 2)
      if (endpoint.now() + delay >= deadline) throw error
      await sleep(delay, limit)
    }
  }
}

async function post(endpoint: WebhookEndpoint, body: string, signal: AbortSignal): Promise<unknown> {
  const signature = await endpoint.sign(body, Math.floor(endpoint.now() / 1_000))
  let response: Response
  try {
    response = await endpoint.fetch(endpoint.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...signature },
      body,
      // The content is for this URL only.
      redirect: 'manual',
      signal,
    })
  } catch (error) {
    if (signal.aborted) throw new Error('The webhook did not respond in time.')
    throw new TemporaryError(`The webhook could not be reached${codeOf(error)}.`)
  }
  if (!response.ok) {
    void response.body?.cancel().catch(() => {})
    const { status } = response
    if (status === 429 || status >= 500) throw new TemporaryError(`The webhook responded with ${status}.`)
    throw new Error(
      status === 0 ? 'The webhook responded with a redirect.' : `The webhook responded with ${status}.`,
    )
  }
  const text = await readText(response, endpoint.maxResponseBytes, signal)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new Error('The webhook responded with no valid JSON.')
  }
}

async function readText({ body }: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      bytes += value.byteLength
      if (bytes > maxBytes) break
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    if (signal.aborted) throw new Error('The webhook did not respond in time.')
    throw new TemporaryError('The connection to the webhook was closed.')
  }
  void reader.cancel().catch(() => {})
  throw new Error(`The webhook responded with more than ${maxBytes} bytes (maxResponseBytes).`)
}

/** Returns the code of a failed connection, such as ` (ECONNREFUSED)`: its message may contain hosts. */
function codeOf(error: unknown): string {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: unknown }
  const found = code ?? (cause as { code?: unknown } | undefined)?.code
  return typeof found === 'string' && /^[A-Z\d_]{1,40}$/.test(found) ? ` (${found})` : ''
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(new Error('The webhook did not respond in time.'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
