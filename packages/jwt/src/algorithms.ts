import { ConfigurationError } from '@sluice/core'
import { configurationError } from '@sluice/core/adapter'

/** Signatures with a secret that both sides know, and how many bytes it needs (RFC 7518 section 3.2). */
const secretBytes: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 }

const rsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const edwards = ['EdDSA', 'Ed25519']
/** Signatures with a pair of keys. */
const asymmetric: readonly string[] = [...rsa, 'ES256', 'ES384', 'ES512', ...edwards]

/** What a token may be signed with, where keys are public ones. Throws `ConfigurationError` for those that need a secret. */
export function publicAlgorithms(
  given: unknown,
  possible: readonly string[] = asymmetric,
): readonly string[] {
  return given === undefined ? possible : checkAlgorithms(given, possible)
}

/** What a token may be signed with, where there is a secret of so many bytes. Throws `ConfigurationError` for a secret that is too short. */
export function secretAlgorithms(given: unknown, bytes: number): readonly string[] {
  const algorithms = given === undefined ? ['HS256'] : checkAlgorithms(given, Object.keys(secretBytes))
  for (const algorithm of algorithms) {
    const needed = secretBytes[algorithm] ?? 0
    if (bytes < needed) {
      throw new ConfigurationError('jwt()', [
        {
          path: ['secret'],
          received: `a secret of ${bytes} bytes`,
          expected: `at least ${needed} random bytes for ${algorithm}`,
        },
      ])
    }
  }
  return algorithms
}

/** What a public key can check, by its type and curve. */
export function algorithmsOf(type: unknown, curve: unknown): readonly string[] {
  if (type === 'RSA') return rsa
  if (type === 'OKP' && curve === 'Ed25519') return edwards
  const size = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' }[String(curve)]
  return type === 'EC' && size !== undefined ? [size] : []
}

function checkAlgorithms(given: unknown, possible: readonly string[]): readonly string[] {
  if (Array.isArray(given) && given.length > 0 && given.every(each => possible.includes(each)))
    return [...given]
  throw configurationError('jwt()', ['algorithms'], given, `a list of ${possible.join(', ')}`)
}
