import type { Transport, TransportResponse } from '../contracts/transport.ts'
import { UpstreamError } from '../errors/upstream-error.ts'

/** Returns a transport that uses `fetch`, for runtimes other than Node. It cannot apply `timeouts.connectMs`. */
export function fetchTransport(fetch: typeof globalThis.fetch = globalThis.fetch): Transport {
  return async (request, signal) => {
    let response: Response
    try {
      response = await fetch(request.url, {
        method: request.method,
        headers: request.headers,
        body: (request.body ?? null) as BodyInit | null,
        redirect: 'manual',
        signal,
      })
    } catch (cause) {
      if (signal.aborted) throw signal.reason
      throw new UpstreamError('The upstream could not be reached.', { kind: 'unreachable', cause })
    }
    return { status: response.status, headers: response.headers, body: bytesOf(response, signal) }
  }
}

/** Returns the default transport on runtimes other than Node. */
export function defaultTransport(_options: { readonly connectMs: number }): Transport {
  return fetchTransport()
}

async function* bytesOf(
  response: Response,
  signal: AbortSignal,
): TransportResponse['body'] & AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  let ended = false
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) break
      yield value
    }
    ended = true
  } catch (cause) {
    ended = true
    if (signal.aborted) throw signal.reason
    throw new UpstreamError('The upstream closed the connection during its response.', {
      kind: 'truncated',
      cause,
    })
  } finally {
    // Not awaited: a body whose cancel never settles must not block the caller.
    if (!ended) void reader.cancel().catch(() => {})
  }
}
