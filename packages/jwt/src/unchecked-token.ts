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
 * Whether a token says of itself that it may be good. Nothing of it has been checked: what this lets through is
 * nothing yet, but what it does not let through costs no signature, and makes nobody read keys.
 */
export function mayBeMeant(token: string, { algorithms, issuers, expiredAt }: Expected): boolean {
  if (token.length > maxLength || !form.test(token)) return false
  try {
    const { alg } = decodeProtectedHeader(token)
    if (alg === undefined || !algorithms.includes(alg)) return false
    const { iss, exp } = decodeJwt(token)
    return iss !== undefined && issuers.includes(iss) && typeof exp === 'number' && exp > expiredAt
  } catch {
    return false
  }
}
