import { ConfigurationError, type Observer, type Principal } from '@sluice/core'
import { configurationError, unknownOption } from '@sluice/core/adapter'

/** The claims of a token whose signature and times are valid. */
export interface JwtPayload {
  readonly iss?: string
  readonly sub?: string
  readonly aud?: string | readonly string[]
  /** Seconds since 1970. */
  readonly exp?: number
  /** Seconds since 1970. */
  readonly nbf?: number
  /** Seconds since 1970. */
  readonly iat?: number
  readonly [claim: string]: unknown
}

/** Returns the principal of a token, or `undefined` for a token that is not accepted: the response is a 401. */
export type ClaimsOf = (payload: JwtPayload) => Principal | undefined | Promise<Principal | undefined>

/** Options of `jwt`. Requires `issuer`, `audience`, and exactly one of `jwks`, `publicKey` and `secret`. */
export interface JwtOptions {
  /** The URL of the issuer's JSON Web Key Set: https, or http on this machine. Or the set itself. */
  readonly jwks?: string | URL | { readonly keys: readonly object[] } | undefined
  /** The issuer's public key, as PEM (`-----BEGIN PUBLIC KEY-----`) or JWK. */
  readonly publicKey?: string | object | undefined
  /** The secret that the issuer signs with, for HMAC: 32 random bytes or more. A string is encoded as UTF-8. */
  readonly secret?: string | Uint8Array | undefined
  /** The `iss` that a token must have: one, or any of several. Several require `claims`. */
  readonly issuer: string | readonly string[]
  /**
   * The `aud` that a token must have, the issuer's name for this gateway: one, or any of several. `false` if the issuer's
   * tokens have none: then `claims` is required, and must reject tokens for other services.
   */
  readonly audience: string | readonly string[] | false
  /**
   * The allowed signature algorithms. Default: those of RSA, ECDSA and Ed25519 that the keys support; `['HS256']` for a
   * `secret`. `none` is never allowed, and HMAC algorithms only with `secret`.
   */
  readonly algorithms?: readonly string[] | undefined
  /** The `typ` of a token's header, such as `at+jwt`. Default: any. */
  readonly typ?: string | undefined
  /**
   * The `source` of the principals: no spaces. A `source` that `claims` returns takes precedence. Default: the token's
   * `iss`, as a `sub` is unique within its issuer only.
   */
  readonly source?: string | undefined
  /**
   * Returns the principal for the claims of a token. Default: `sub` (at most 255 characters, without control characters) is the
   * id; `models`, a list of strings, and `tags`, an object of strings, are used if present. An error that it throws becomes a 500.
   */
  readonly claims?: ClaimsOf | undefined
  /** Allowed difference between the clocks of issuer and gateway, in seconds: 0 to 300. Default 5. */
  readonly clockToleranceS?: number | undefined
  /** Maximum age of a token by its `iat`, in seconds, in addition to its `exp`. Default: any age. */
  readonly maxTokenAgeS?: number | undefined
  /**
   * Timeout of fetching `jwks` from a URL, in milliseconds. Default 600. Keep it below `timeouts.policyMs` of the gateway
   * (1,000), after which the request fails.
   */
  readonly timeoutMs?: number | undefined
  /** How long keys from a URL are cached before they are fetched again, in milliseconds. Default 600,000. */
  readonly cacheMs?: number | undefined
  /**
   * How long cached keys stay valid after `cacheMs` if the URL cannot be fetched, in milliseconds. Default 86,400,000 (a
   * day).
   */
  readonly staleMs?: number | undefined
  /** Receives a `store` event (`keys`) when the URL cannot be fetched, and when it can be again: once per change. */
  readonly observe?: Observer | undefined
  /** Fetches `jwks` from a URL. Default: the `fetch` of the runtime. */
  readonly fetch?: typeof fetch | undefined
  /** Returns milliseconds since 1970. Default `Date.now`, and a monotonic clock for the age of keys. */
  readonly now?: (() => number) | undefined
}

const known: Readonly<Record<keyof JwtOptions, true>> = {
  jwks: true,
  publicKey: true,
  secret: true,
  issuer: true,
  audience: true,
  algorithms: true,
  typ: true,
  source: true,
  claims: true,
  clockToleranceS: true,
  maxTokenAgeS: true,
  timeoutMs: true,
  cacheMs: true,
  staleMs: true,
  observe: true,
  fetch: true,
  now: true,
}

/** Returns a copy of the options. Throws `ConfigurationError` for invalid ones. */
export function validateOptions(given: JwtOptions): JwtOptions {
  if (typeof given !== 'object' || given === null)
    throw configurationError('jwt()', [], given, 'an object of options')
  const unknown = Object.keys(given).find(name => !Object.hasOwn(known, name))
  if (unknown !== undefined) {
    throw new ConfigurationError('jwt()', [
      unknownOption([unknown], (given as unknown as Record<string, unknown>)[unknown], Object.keys(known)),
    ])
  }
  const options: JwtOptions = Object.assign(Object.create(null), given)
  const keys = [options.jwks, options.publicKey, options.secret].filter(each => each !== undefined)
  if (keys.length !== 1) {
    throw new ConfigurationError('jwt()', [
      { path: [], received: `${keys.length} of jwks, publicKey and secret`, expected: 'exactly one of them' },
    ])
  }
  const { issuer, audience, claims, typ, source } = options
  if (!isNames(issuer)) {
    throw configurationError(
      'jwt()',
      ['issuer'],
      issuer,
      "the `iss` of the tokens, such as 'https://login.example.com/'",
    )
  }
  if (audience !== false && !isNames(audience)) {
    throw configurationError(
      'jwt()',
      ['audience'],
      audience,
      "the `aud` of tokens for this gateway, such as 'https://llm.example.com'",
    )
  }
  if (claims === undefined && audience === false) {
    throw configurationError(
      'jwt()',
      ['claims'],
      claims,
      'a function that rejects tokens for other services, because audience is false',
    )
  }
  if (claims === undefined && typeof issuer !== 'string' && issuer.length > 1) {
    throw configurationError(
      'jwt()',
      ['claims'],
      claims,
      'a function that makes ids of `iss` and `sub`, because two issuers may use the same `sub`',
    )
  }
  if (typ !== undefined && (typeof typ !== 'string' || typ === '')) {
    throw configurationError('jwt()', ['typ'], typ, "the `typ` of the tokens' header, such as 'at+jwt'")
  }
  if (source !== undefined && !isSource(source)) {
    throw configurationError('jwt()', ['source'], source, 'a string without spaces')
  }
  if (source === undefined && ![issuer].flat().every(isSource)) {
    throw configurationError(
      'jwt()',
      ['source'],
      source,
      'a name without spaces, because an issuer has spaces',
    )
  }
  for (const name of ['claims', 'observe', 'fetch', 'now'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw configurationError('jwt()', [name], options[name], 'a function')
    }
  }
  return options
}

/** Returns a number of an option, in its own unit. Throws `ConfigurationError` for one out of bounds. */
export function checkNumber(
  options: JwtOptions,
  name: NumberOption,
  min: number,
  max: number,
): number | undefined {
  const value = options[name]
  if (value === undefined || (typeof value === 'number' && value >= min && value <= max)) return value
  throw configurationError('jwt()', [name], value, `a number from ${min} to ${max}`)
}

type NumberOption = 'clockToleranceS' | 'maxTokenAgeS' | 'timeoutMs' | 'cacheMs' | 'staleMs'

function isSource(value: unknown): boolean {
  return typeof value === 'string' && /^[^\s\p{Cc}]+$/u.test(value)
}

function isNames(value: unknown): value is string | readonly string[] {
  const names = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every(name => typeof name === 'string' && name !== '')
}
