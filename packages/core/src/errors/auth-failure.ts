import { GatewayError } from './errors.ts'

/** Every reason why nobody was authenticated, from the least to the most specific. */
export const authFailureReasons = [
  /** There is no bearer token. */
  'missing',
  /** Nobody knows the token. */
  'unknown',
  /** A token of another issuer. */
  'wrong_issuer',
  /** A token signed by an algorithm that is not allowed. */
  'wrong_algorithm',
  /** A token signed by a key that its issuer does not publish. */
  'unknown_signing_key',
  'wrong_signature',
  /** A token without a claim that is needed, or with one that is not accepted. */
  'wrong_claims',
  'wrong_audience',
  'not_yet_valid',
  'expired',
  'disabled',
] as const

export type AuthFailureReason = (typeof authFailureReasons)[number]

/** Why nobody was authenticated: for the owner's logs, never for the caller. */
export interface AuthFailure {
  readonly reason: AuthFailureReason
  /** The id of the key that has expired or is disabled, or the `sub` of a token whose signature is valid. */
  readonly id?: string
}

/** Returns the failure that says more; of two that say as much the first. */
export function moreSpecific(one: AuthFailure | undefined, other: AuthFailure): AuthFailure {
  return one !== undefined && rank(one) >= rank(other) ? one : other
}

/** Returns why a request was refused with `error`, a 401, given what was reported; `undefined` for any other error. */
export function authFailureOf(error: unknown, reported: AuthFailure | undefined): AuthFailure | undefined {
  if (!GatewayError.is(error) || error.status !== 401) return undefined
  const reason = error.reason === 'missing_api_key' ? 'missing' : 'unknown'
  return reported ?? { reason }
}

/** Copies a failure. Throws `TypeError` for what is none: its reason is a label of metrics, which have few values. */
export function checkedAuthFailure({ reason, id }: AuthFailure): AuthFailure {
  if (!authFailureReasons.includes(reason)) {
    throw new TypeError(
      `authenticate reported the reason ${JSON.stringify(reason)}, expected one of ${authFailureReasons.join(', ')}.`,
    )
  }
  return typeof id === 'string' ? { reason, id } : { reason }
}

function rank({ reason }: AuthFailure): number {
  return authFailureReasons.indexOf(reason)
}
