import type { UsageAnswer } from '../../src/api.ts'
import { ApiError, toApiError } from './api-error.ts'

/** Asks what a caller itself used, with its own API key. Rejects with `ApiError`. */
export async function fetchOwnUsage(
  key: string,
  by: readonly string[],
  from: number,
  signal?: AbortSignal,
): Promise<UsageAnswer> {
  const response = await request(`?by=${by.join()}&from=${from}`, { authorization: `Bearer ${key}` }, signal)
  if (!response.ok) throw await toApiError(response)
  return response.json()
}

/** Whether callers may ask for their own usage: without a key it is refused, and not absent. */
export async function offersOwnUsage(signal: AbortSignal): Promise<boolean> {
  return (await request('', {}, signal)).status === 401
}

function request(query: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> {
  const url = new URL(`api/own-usage${query}`, document.baseURI)
  const init = { headers, cache: 'no-store', credentials: 'omit', signal: signal ?? null } as const
  return fetch(url, init).catch((error: unknown) => {
    if (signal?.aborted === true) throw error
    throw new ApiError('Could not reach the gateway. Is it running?', 0)
  })
}
