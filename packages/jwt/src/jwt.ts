import { type Authenticator, type AuthFailure, GatewayError, type Principal } from '@sluice/core'
import { bearerToken, changedPrincipal } from '@sluice/core/keys'
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { FindKey } from './find-key.ts'
import { checkNumber, type JwtOptions, type JwtPayload, validateOptions } from './jwt-options.ts'
import { keySource } from './key-source.ts'
import { precheckToken } from './precheck-token.ts'
import { principalFromClaims } from './principal-from-claims.ts'
import { tokenFailure } from './token-failure.ts'

/**
 * Authenticates callers by JSON Web Tokens (RFC 7519) of your issuer, such as a login service or your own backend.
 *
 * A token is valid if its signature is that of the issuer's key, with an allowed algorithm, and its `iss`, `aud`, `exp` (always
 * required) and `nbf` are valid. Any other token is a 401. If the issuer's keys cannot be fetched, the response is a 503
 * `authentication_unavailable`, never a 401.
 *
 * Throws `ConfigurationError` for invalid options.
 */
export function jwt(given: JwtOptions): Authenticator {
  const options = validateOptions(given)
  const { issuer, audience, typ, source, claims = principalFromClaims, now = Date.now } = options
  const { algorithms, findKey } = keySource(options)
  const maxTokenAge = checkNumber(options, 'maxTokenAgeS', 1, Number.MAX_SAFE_INTEGER)
  const clockTolerance = checkNumber(options, 'clockToleranceS', 0, 300) ?? 5
  const issuers = [issuer].flat()
  const checks: JWTVerifyOptions = {
    algorithms: [...algorithms],
    issuer: issuers,
    requiredClaims: ['exp'],
    clockTolerance,
    ...(audience === false ? {} : { audience: [audience].flat() }),
    ...(maxTokenAge === undefined ? {} : { maxTokenAge }),
    ...(typ === undefined ? {} : { typ }),
  }
  return (request, _host, report = () => {}) => {
    const token = bearerToken(request)
    if (token === undefined) return undefined
    const at = now()
    const fault = precheckToken(token, { algorithms, issuers, expiredAt: at / 1_000 - clockTolerance })
    if (fault !== undefined) {
      report({ reason: fault })
      return undefined
    }
    return verifyToken(token, findKey, { ...checks, currentDate: new Date(at) }, report).then(
      async payload => {
        const principal = payload && withSource(await claims(payload as JwtPayload), source ?? payload.iss)
        if (payload !== undefined && !principal) report({ reason: 'wrong_claims' })
        return principal
      },
    )
  }
}

/** Adds the source to a principal that has none. The gateway validates what else `claims` returns. */
function withSource(principal: Principal | undefined, source: string | undefined): Principal | undefined {
  if (typeof principal !== 'object' || principal === null || principal.source !== undefined) return principal
  return changedPrincipal(principal, { source })
}

type Report = (failure: AuthFailure) => void

/** Resolves to the payload of a valid token, and to `undefined` for any other. Rejects if the keys cannot be loaded. */
async function verifyToken(
  token: string,
  findKey: FindKey,
  checks: JWTVerifyOptions,
  report: Report,
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, header => findKey(header), checks)
    return payload
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys)
      return verifyWithAnyKey(error, token, checks, report)
    return rejectToken(error, report)
  }
}

/** A token that does not name its key, which several keys may have signed. */
async function verifyWithAnyKey(
  keys: errors.JWKSMultipleMatchingKeys,
  token: string,
  checks: JWTVerifyOptions,
  report: Report,
): Promise<JWTPayload | undefined> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, checks)).payload
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return rejectToken(error, report)
    }
  }
  report({ reason: 'wrong_signature' })
  return undefined
}

/** Invalid tokens are a 401. Errors of the keys, or of this code, are not. */
function rejectToken(error: unknown, report: Report): undefined {
  if (!(error instanceof errors.JOSEError)) {
    throw GatewayError.is(error) ? error : new GatewayError('authentication_unavailable', { cause: error })
  }
  report(tokenFailure(error))
  return undefined
}
