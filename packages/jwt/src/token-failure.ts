import type { AuthFailure, AuthFailureReason } from '@sluice/core'
import { errors } from 'jose'
import { isSubject } from './principal-from-claims.ts'

const byClaim: Readonly<Record<string, AuthFailureReason>> = {
  iss: 'wrong_issuer',
  aud: 'wrong_audience',
  nbf: 'not_yet_valid',
}

/** Returns why `jose` refused a token. Claims are validated after the signature: the `sub` of such a failure is genuine. */
export function tokenFailure(error: errors.JOSEError): AuthFailure {
  if (error instanceof errors.JWTExpired) return { reason: 'expired', ...subjectOf(error.payload.sub) }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const reason = Object.hasOwn(byClaim, error.claim) ? byClaim[error.claim]! : 'wrong_claims'
    return { reason, ...subjectOf(error.payload.sub) }
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return { reason: 'wrong_signature' }
  if (error instanceof errors.JWKSNoMatchingKey) return { reason: 'unknown_signing_key' }
  if (error instanceof errors.JOSEAlgNotAllowed) return { reason: 'wrong_algorithm' }
  return { reason: 'unknown' }
}

function subjectOf(sub: unknown): { readonly id?: string } {
  return isSubject(sub) ? { id: sub } : {}
}
