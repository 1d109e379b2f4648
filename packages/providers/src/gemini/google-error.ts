import { UpstreamError, type UpstreamResponse } from '@sluice/core/provider'
import { type Fields, isFields, objectsOf, textOf } from '../wire/json-value.ts'
import { parseJson } from '../wire/parse-json.ts'
import { parseErrorResponse } from '../wire/upstream-error-response.ts'

/**
 * Parses an error response of a Google service as an `UpstreamError` of kind `refused`. Never rejects.
 *
 * @param now - milliseconds since 1970, for a `retry-after` that is a date.
 */
export async function parseGoogleError(
  response: UpstreamResponse,
  now: () => number,
): Promise<UpstreamError> {
  let text: string
  try {
    text = await response.text()
  } catch (cause) {
    return parseErrorResponse({ ...bare(response), text: () => Promise.reject(cause) }, now)
  }
  const refusal = await parseErrorResponse({ ...bare(response), text: () => Promise.resolve(text) }, now)
  try {
    return withGoogleDetails(refusal, parseJson(text))
  } catch {
    return refusal
  }
}

/**
 * Adds the information of Google's `details` (google.rpc, error_details) to an error: an invalid key, an exhausted quota,
 * and the retry delay.
 */
export function withGoogleDetails(refusal: UpstreamError, body: unknown): UpstreamError {
  const error = errorOf(body)
  if (error === undefined) return refusal
  const details = objectsOf(error.details) ?? []
  const { vendorMessage } = refusal
  let { status, code } = refusal
  const wait = waitMs(details, vendorMessage ?? '')
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID')) {
    // A wrong key is answered with 400; the request's author has no part in it.
    status = 401
    code = 'invalid_api_key'
  } else if (error.status === 'FAILED_PRECONDITION' && ofAccount.test(vendorMessage ?? '')) {
    status = 403
  } else if (status === 429) {
    const quotas = details.flatMap(({ violations }) => objectsOf(violations) ?? [])
    // The words are the same for a quota of a minute, which the next minute fills again.
    if (quotas.some(({ quotaId }) => textOf(quotaId)?.includes('PerDay'))) code = 'insufficient_quota'
    else if (quotas.length > 0 || wait !== undefined) code = null
  }
  return new UpstreamError(refusal.message, {
    kind: refusal.kind,
    ...(status === undefined ? {} : { status }),
    code,
    type: refusal.type,
    param: refusal.param,
    ...retry(refusal.retryAfterMs ?? wait),
    ...(vendorMessage === undefined ? {} : { vendorMessage }),
  })
}

/** What an account must have before anything is answered: a country, a means to pay. */
const ofAccount = /location|country|region|billing|free tier/i

function bare({ status, headers, body }: UpstreamResponse): Omit<UpstreamResponse, 'text'> {
  return { status, headers, body }
}

/** Streams without `alt=sse` wrap their errors in a list. */
function errorOf(body: unknown): Fields | undefined {
  const one = Array.isArray(body) ? body.find(isFields) : body
  return isFields(one) && isFields(one.error) ? one.error : undefined
}

function waitMs(details: readonly Fields[], message: string): number | undefined {
  const delays = details.map(({ retryDelay }) => textOf(retryDelay))
  const seconds =
    /^(\d{1,9}(?:\.\d+)?)s$/.exec(delays.find(delay => delay !== undefined) ?? '') ??
    /retry in (\d{1,9}(?:\.\d+)?)s/i.exec(message)
  return seconds?.[1] === undefined ? undefined : Math.ceil(Number(seconds[1]) * 1_000)
}

function retry(ms: number | undefined): { readonly retryAfterMs?: number } {
  return ms === undefined ? {} : { retryAfterMs: ms }
}
