import type { AuthFailureReason } from '@sluice/core'
import { decodeJwt, decodeProtectedHeader } from 'jose'

/** Longer ones are refused unseen. */
const maxLength = 8_192
const form = /^[\w-]+\.[\w-]+\.[\w-]+$/

export interface Expected {
  readonly algorithms: readonly string[]
  readonly issuers: readonly string[]
  /** Seconds since 1970: a token whose time was over by then is refused. */
  readonly expiredAt: number
}

/**
 * Returns why a token is refused by what it says of itself, or `undefined` where it may be valid. Nothing of it has been
 * checked: a token that passes is nothing yet, but one that does not costs no signature, and no reading of keys.
 */
export function precheckToken(
  token: string,
  { algorithms, issuers, expiredAt }: Expected,
): AuthFailureReason | undefined {
  if (token.length > maxLength || !form.test(token)) return 'unknown'
  try {
    const { alg } = decodeProtectedHeader(token)
    if (alg === undefined || !algorithms.includes(alg)) return 'wrong_algorithm'
    const { iss, exp } = decodeJwt(token)
    if (iss === undefined || !issuers.includes(iss)) return 'wrong_issuer'
    if (typeof exp !== 'number') return 'wrong_claims'
    return exp > expiredAt ? undefined : 'expired'
  } catch {
    return 'unknown'
  }
}
