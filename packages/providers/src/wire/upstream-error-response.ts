import { UpstreamError, type UpstreamResponse } from '@sluice/core/provider'
import { type ErrorDetails, parseErrorDetails } from './error-details.ts'
import { isFields } from './json-value.ts'
import { parseJson } from './parse-json.ts'
import { retryAfterMs, statedWaitMs } from './retry-after.ts'

const tooLong =
  /context[ _-]?(length|window|size)|maximum context|prompt (is )?too long|too many (input |prompt )?tokens|input tokens? (count|exceeded)|exceeds the maximum (number of )?(input )?tokens|input is too long|total length of all messages is too long|too_many_prompt_tokens|exceed_context_size/i
const unpaid = /insufficient[ _](quota|balance|credits?|funds)|exceeded your current quota|credit balance/i
const badKey = /(incorrect|invalid) api[ _-]?key|api[ _-]?key (is )?(not valid|invalid|incorrect|expired)/i

/**
 * Parses an error response (any status but 2xx) as an `UpstreamError` of kind `refused`. Never rejects.
 *
 * @param pathOf - returns the caller's name of a field that the vendor names. Default: it is the same.
 */
export async function parseErrorResponse(
  response: UpstreamResponse,
  now: () => number,
  pathOf?: (path: string) => string,
): Promise<UpstreamError> {
  let details: ErrorDetails | undefined
  let cause: unknown
  try {
    // Whatever the content type says: DeepSeek sends JSON as application/octet-stream.
    details = parseErrorDetails(parseJson(await response.text()))
    if (pathOf !== undefined) details = inCallersWords(details, pathOf)
  } catch (error) {
    cause = error
  }
  return createRefusedError(details, response.status, retryAfterMs(response.headers, now), cause)
}

/** Names the field of an error as the caller has it. */
function inCallersWords(
  details: ErrorDetails | undefined,
  pathOf: (path: string) => string,
): ErrorDetails | undefined {
  const param = details?.param
  if (details === undefined || typeof param !== 'string') return details
  // Some write `messages.[0].role`.
  const plain = param.replaceAll('.[', '[')
  const path = pathOf(plain)
  if (path === plain) return details
  return { ...details, param: path, message: details.message?.replaceAll(`'${param}'`, `'${path}'`) }
}

/** Parses an error in place of a completion, under status 200. Returns `undefined` if the value is not an error. */
export function errorInBody(value: unknown): UpstreamError | undefined {
  const details = parseErrorDetails(value)
  return details === undefined ? undefined : fromDetails(details)
}

/**
 * Parses an error in place of a stream's chunk. A bare `message` or `detail` may be a queue status: it is an error only
 * with an error's status, code or type.
 */
export function errorInStream(value: unknown): UpstreamError | undefined {
  const details = parseErrorDetails(value)
  if (details === undefined) return undefined
  const bare = isFields(value) && !value.error && !value.errors
  if (bare && value.object !== 'error' && details.status === undefined && !namesError(details))
    return undefined
  return fromDetails(details)
}

function fromDetails(details: ErrorDetails): UpstreamError {
  const status = details.status ?? statusByWords(details)
  // It has no headers that would say when.
  const wait = status === 429 ? statedWaitMs(details.message ?? '') : undefined
  return createRefusedError(details, status, wait, undefined)
}

function createRefusedError(
  details: ErrorDetails | undefined,
  given: number,
  retryAfter: number | undefined,
  cause: unknown,
): UpstreamError {
  const words = `${details?.code} ${details?.type} ${details?.message}`
  let status = given
  let code = details?.code ?? null
  if (status === 402 || ((status === 400 || status === 403 || status === 429) && unpaid.test(words))) {
    code = 'insufficient_quota'
  } else if (status !== 401 && status !== 403 && status !== 404 && status !== 429 && tooLong.test(words)) {
    code = 'context_length_exceeded'
    status = 400
  } else if (status === 400 && badKey.test(words)) {
    // Google and xAI answer a wrong key with 400; the request's author has no part in it.
    code = 'invalid_api_key'
    status = 401
  }
  const vendorMessage = details?.message
  return new UpstreamError(messageOf(given, vendorMessage !== undefined), {
    kind: 'refused',
    ...(vendorMessage === undefined ? {} : { vendorMessage: cutOff(vendorMessage) }),
    status,
    code,
    type: details?.type ?? null,
    param: details?.param ?? null,
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
    ...(cause === undefined ? {} : { cause }),
  })
}

function messageOf(status: number, told: boolean): string {
  if (status >= 300 && status < 400) {
    return `The upstream answered with a redirect (${status}), and none is followed. Check the baseURL.`
  }
  return told
    ? `The upstream refused, with status ${status}.`
    : `The upstream answered ${status} and gave no reason that can be read.`
}

function cutOff(words: string): string {
  return words.length > 4_000 ? `${words.slice(0, 4_000)}...` : words
}

function namesError({ code, type }: ErrorDetails): boolean {
  const words = `${code} ${type}`
  return statusOfWords(words) !== undefined || /error|invalid|denied|exceeded|fail/i.test(words)
}

function statusByWords({ code, type, message = '' }: ErrorDetails): number {
  return statusOfWords(`${code} ${type}`) ?? (tooLong.test(message) ? 400 : 500)
}

function statusOfWords(words: string): number | undefined {
  if (/overloaded|unavailable|capacity/i.test(words)) return 503
  if (/rate.?limit|too_many_requests|resource_exhausted|insufficient_quota/i.test(words)) return 429
  if (/authentication|unauthorized|invalid_api_key/i.test(words)) return 401
  if (/permission|forbidden/i.test(words)) return 403
  if (/not_found/i.test(words)) return 404
  if (/timeout/i.test(words)) return 504
  if (/invalid_request|bad.?request|invalid_argument|context|content_filter/i.test(words)) return 400
  return undefined
}
