import { ConfigurationError } from '@sluice/core'
import { hiddenIssue } from '@sluice/core/adapter'
import { createLocalJWKSet, exportJWK, importSPKI, type JWK, type LocalJWKSet } from 'jose'
import { algorithmsOf } from './algorithms.ts'
import type { FindKey } from './find-key.ts'

/** A public key, ready to be used, and what it can check. */
export interface PublicKey {
  readonly algorithms: readonly string[]
  readonly findKey: FindKey
}

const pemForm = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/

/** How the kinds of keys are written in the first bytes of a PEM: their object identifiers (RFC 5480, 8410, 8017). */
const kinds: readonly (readonly [identifier: string, type: string, curve: string])[] = [
  ['\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01', 'RSA', ''],
  ['\x2a\x86\x48\xce\x3d\x03\x01\x07', 'EC', 'P-256'],
  ['\x2b\x81\x04\x00\x22', 'EC', 'P-384'],
  ['\x2b\x81\x04\x00\x23', 'EC', 'P-521'],
  ['\x06\x03\x2b\x65\x70', 'OKP', 'Ed25519'],
]
/** They stand before the key itself, in which anything may be written. */
const headBytes = 30

/** One public key as PEM (`BEGIN PUBLIC KEY`) or as JWK. Throws `ConfigurationError` for any other, and for a private one. */
export function publicKey(given: unknown): PublicKey {
  if (typeof given === 'string') return ofPem(given)
  if (typeof given !== 'object' || given === null) throw publicKeyError(given)
  const jwk = given as JWK
  rejectPrivateKey(jwk)
  const algorithms = algorithmsOf(jwk.kty, jwk.crv).filter(each => jwk.alg === undefined || jwk.alg === each)
  if (algorithms.length === 0) throw publicKeyError(given)
  return { algorithms, findKey: lazyKeySet(async () => createLocalJWKSet({ keys: [jwk] })) }
}

/** Throws `ConfigurationError` for a key that can sign tokens: verifying needs only the public part. */
export function rejectPrivateKey(jwk: object): void {
  if ('d' in jwk || 'k' in jwk) {
    throw new ConfigurationError('jwt()', [
      {
        path: [],
        received: 'a private or secret key',
        expected: 'only its public part, without `d` or `k`',
      },
    ])
  }
}

function ofPem(pem: string): PublicKey {
  const [, body = ''] = pemForm.exec(pem) ?? []
  const head = bytesOf(body).slice(0, headBytes)
  const [, type, curve] = kinds.find(([identifier]) => head.includes(identifier)) ?? []
  const algorithms = algorithmsOf(type, curve)
  const [algorithm] = algorithms
  if (algorithm === undefined) throw publicKeyError(pem)
  return {
    algorithms,
    findKey: lazyKeySet(async () => {
      const key = await importSPKI(pem.trim(), algorithm, { extractable: true })
      return createLocalJWKSet({ keys: [await exportJWK(key)] })
    }),
  }
}

/** The one key there is, whatever the token calls it. */
function lazyKeySet(make: () => Promise<LocalJWKSet>): FindKey {
  let set: Promise<LocalJWKSet> | undefined
  return async ({ alg }) => {
    set ??= make()
    return (await set)(alg === undefined ? {} : { alg })
  }
}

function bytesOf(base64: string): string {
  try {
    return atob(base64.replaceAll(/\s/g, ''))
  } catch {
    return ''
  }
}

function publicKeyError(given: unknown): ConfigurationError {
  return new ConfigurationError('jwt()', [
    hiddenIssue(
      ['publicKey'],
      given,
      "a public key for RSA, ECDSA or Ed25519, as PEM ('-----BEGIN PUBLIC KEY-----', no certificate) or JWK",
    ),
  ])
}
