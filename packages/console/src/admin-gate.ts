import { GatewayError } from '@sluice/core'
import { bearerToken, hashApiKey } from '@sluice/core/keys'

/** So many wrong keys may come within a minute. */
const maxWrongKeys = 60
const windowMs = 60_000
const maxKeyLength = 512

/**
 * Lets in whoever brings the admin key, and throws 401 for anybody else. Digests are compared, in a time that does not
 * depend on where they differ. After 60 wrong keys within a minute all keys are refused with 429, the right one too,
 * until the minute is over: otherwise guessing would go on. The count is this process's own.
 */
export function adminGate(adminKey: string, now: () => number): (request: Request) => void {
  const expected = hashApiKey(adminKey)
  let since = 0
  let wrong = 0
  return request => {
    const key = bearerToken(request)
    if (key === undefined) throw new GatewayError('missing_api_key', { message: noKey })
    const passed = now() - since
    // Also where the clock was put back.
    if (!(passed >= 0 && passed < windowMs)) wrong = 0
    else if (wrong >= maxWrongKeys) throw tooMany(windowMs - passed)
    if (key.length <= maxKeyLength && isSame(hashApiKey(key), expected)) return
    if (wrong === 0) since = now()
    wrong++
    throw new GatewayError('invalid_api_key', { message: 'This is not the admin key of the console.' })
  }
}

const noKey = 'The console needs its admin key, in an Authorization header using Bearer auth.'

function tooMany(waitMs: number): GatewayError {
  return new GatewayError('rate_limit_exceeded', {
    message: 'Too many wrong admin keys came within a minute. Please try again later.',
    headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  })
}

function isSame(digest: string, expected: string): boolean {
  let difference = digest.length ^ expected.length
  for (let at = 0; at < expected.length; at++) difference |= digest.charCodeAt(at) ^ expected.charCodeAt(at)
  return difference === 0
}
