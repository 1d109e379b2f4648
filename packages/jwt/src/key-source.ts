import type { Observer } from '@sluice/core'
import { configurationError } from '@sluice/core/adapter'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { publicAlgorithms, secretAlgorithms } from './algorithms.ts'
import { fetchKeySet } from './fetch-key-set.ts'
import type { FindKey } from './find-key.ts'
import { checkNumber, type JwtOptions } from './jwt-options.ts'
import { keySetUrl } from './key-set-url.ts'
import { publicKey, rejectPrivateKey } from './public-key.ts'
import { remoteKeySet } from './remote-key-set.ts'

/** Where the keys are, and what they may check. */
export interface KeySource {
  readonly algorithms: readonly string[]
  readonly findKey: FindKey
}

/** Timers take no more. */
const maxTimerMs = 2_147_483_647

/** Throws `ConfigurationError` for invalid keys, and for algorithms that do not match them. */
export function keySource(options: JwtOptions): KeySource {
  const { jwks, secret, algorithms } = options
  if (secret !== undefined) return secretSource(secret, algorithms)
  if (options.publicKey !== undefined) {
    const key = publicKey(options.publicKey)
    return { findKey: key.findKey, algorithms: publicAlgorithms(algorithms, key.algorithms) }
  }
  const findKey =
    typeof jwks === 'string' || jwks instanceof URL ? remoteKeys(jwks, options) : localKeySet(jwks)
  return { findKey, algorithms: publicAlgorithms(algorithms) }
}

function secretSource(given: unknown, algorithms: unknown): KeySource {
  const isPem = typeof given === 'string' && given.includes('-----BEGIN')
  if (isPem || (typeof given !== 'string' && !(given instanceof Uint8Array))) {
    throw configurationError(
      'jwt()',
      ['secret'],
      given,
      'a secret as a string or bytes; pass a PEM as publicKey',
    )
  }
  const secret = typeof given === 'string' ? new TextEncoder().encode(given) : Uint8Array.from(given)
  return { findKey: async () => secret, algorithms: secretAlgorithms(algorithms, secret.length) }
}

function localKeySet(given: unknown): FindKey {
  const { keys } = (given ?? {}) as { keys?: unknown }
  if (
    !Array.isArray(keys) ||
    keys.length === 0 ||
    keys.some(key => typeof key !== 'object' || key === null)
  ) {
    throw configurationError(
      'jwt()',
      ['jwks'],
      given,
      'the URL of a key set, or an object with a list of keys',
    )
  }
  for (const key of keys) rejectPrivateKey(key)
  return createLocalJWKSet(given as JSONWebKeySet)
}

function remoteKeys(address: string | URL, options: JwtOptions): FindKey {
  const url = keySetUrl(address)
  const timeoutMs = checkNumber(options, 'timeoutMs', 1, maxTimerMs) ?? 600
  const { observe, now = () => performance.now() } = options
  return remoteKeySet({
    read: () => fetchKeySet(url, timeoutMs, options.fetch ?? fetch),
    cacheMs: checkNumber(options, 'cacheMs', 1, Number.MAX_SAFE_INTEGER) ?? 600_000,
    staleMs: checkNumber(options, 'staleMs', 0, Number.MAX_SAFE_INTEGER) ?? 86_400_000,
    now,
    observe: safeObserver(observe),
  })
}

/** An observer whose throws are nobody's problem but its own: it sees; it cannot change what it sees. */
function safeObserver(observe: Observer | undefined): Observer {
  return event =>
    void Promise.resolve(event)
      .then(observe)
      .catch(() => {})
}
