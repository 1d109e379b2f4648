import { ConfigurationError, type Observer, type Principal } from '@sluice/core'
import { configurationError, unknownOption } from '@sluice/core/adapter'

/** What a token says, once its signature and times have been checked. */
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

/** Who a token speaks for; `undefined` for nobody. */
export type ClaimsOf = (payload: JwtPayload) => Principal | undefined | Promise<Principal | undefined>

/** One of `jwks`, `publicKey` and `secret` is needed, and `issuer` and `audience`. */
export interface JwtOptions {
  /** Where the issuer publishes its keys: an address with https, or http on this machine. Or the set itself. */
  readonly jwks?: string | URL | { readonly keys: readonly object[] }
  /** The issuer's one public key, as PEM (`-----BEGIN PUBLIC KEY-----`) or JWK. */
  readonly publicKey?: string | object
  /** What the issuer signs with, for HMAC: 32 random bytes or more; a text is taken as UTF-8. */
  readonly secret?: string | Uint8Array
  /** The `iss` that a token must have: one, or any of several, which need `claims`. */
  readonly issuer: string | readonly string[]
  /**
   * The `aud` that a token must have: what this gateway is called by the issuer; one, or any of several. `false` where
   * the issuer's tokens have none: then `claims` has to tell the tokens for this gateway from those for others.
   */
  readonly audience: string | readonly string[] | false
  /**
   * What a token may be signed with. Default: all of RSA, ECDSA and Ed25519 that the keys can do; `['HS256']` for a
   * secret. `none` is never one, and those with a secret go with `secret` only.
   */
  readonly algorithms?: readonly string[]
  /** The `typ` of a token's header, such as `at+jwt`. Default: any. */
  readonly typ?: string
  /**
   * The `source` of the principals: no spaces. A `source` that `claims` returns takes precedence. Default: the token's
   * `iss`, as a `sub` is unique within its issuer only.
   */
  readonly source?: string
  /**
   * Makes the caller of what the token says. Default: its `sub` (at most 255 characters) is the id; `models`, a list of
   * texts, and `tags`, an object of texts, are taken where they are there. What it throws is a 500.
   */
  readonly claims?: ClaimsOf
  /** By how much the clocks of issuer and gateway may differ, in seconds: 0 to 300. Default 5. */
  readonly clockToleranceS?: number
  /** How old a token may be by its `iat`, in seconds, whatever its `exp`. Default: any age. */
  readonly maxTokenAgeS?: number
  /** Of an address: how long reading the keys may take, in milliseconds. Default 600; the gateway waits 1,000. */
  readonly timeoutMs?: number
  /** Of an address: how long keys are used before they are read again, in milliseconds. Default 600,000. */
  readonly cacheMs?: number
  /** Of an address: how long keys are used beyond that where they cannot be read. Default 86,400,000: a day. */
  readonly staleMs?: number
  /** Of an address: hears that the keys cannot be read, and that they can again; once for each change. */
  readonly observe?: Observer
  /** Of an address. Default: the runtime's own. */
  readonly fetch?: typeof fetch
  /** Milliseconds since 1970. Default `Date.now`, and a steady clock for the age of keys. */
  readonly now?: () => number
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
  return typeof value === 'string' && /^\S+$/.test(value)
}

function isNames(value: unknown): value is string | readonly string[] {
  const names = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every(name => typeof name === 'string' && name !== '')
}
