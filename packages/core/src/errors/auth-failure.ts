import { GatewayError } from './errors.ts'

/** All reasons of a failed authentication, from the least to the most specific. */
export const authFailureReasons = [
  /** The request has no bearer token. */
  'missing',
  /** The token is unknown. */
  'unknown',
  /** The token comes from another issuer. */
  'wrong_issuer',
  /** The token is signed with an algorithm that is not allowed. */
  'wrong_algorithm',
  /** The token is signed with a key that its issuer does not publish. */
  'unknown_signing_key',
  'wrong_signature',
  /** The token lacks a required claim, or has one with a value that is not accepted. */
  'wrong_claims',
  'wrong_audience',
  'not_yet_valid',
  'expired',
  'disabled',
] as const

export type AuthFailureReason = (typeof authFailureReasons)[number]

/** Why authentication failed: for logs. Callers do not see it. */
export interface AuthFailure {
  readonly reason: AuthFailureReason
  /** The id of an expired or disabled key, or the `sub` of a token with a valid signature. */
  readonly id?: string
}

/** Returns the more specific failure, or the first if both have the same reason. */
export function moreSpecific(one: AuthFailure | undefined, other: AuthFailure): AuthFailure {
  return one !== undefined && rank(one) >= rank(other) ? one : other
}

/** Returns why authentication failed with `error`, a 401: what was reported, else a default. `undefined` for other errors. */
export function authFailureOf(error: unknown, reported: AuthFailure | undefined): AuthFailure | undefined {
  if (!GatewayError.is(error) || error.status !== 401) return undefined
  const reason = error.reason === 'missing_api_key' ? 'missing' : 'unknown'
  return reported ?? { reason }
}

/** Returns a copy. Throws `TypeError` for an unknown reason, because reasons are labels of metrics. */
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
