import { UpstreamError } from '@sluice/core/provider'
import { bearer } from './request-headers.ts'

/** The source of an access token: exactly one of the two. */
export interface AccessTokenOptions {
  /** A fixed token. */
  readonly token?: string | undefined
  /** Returns a token. Called before each call, so it has to cache and renew the token. */
  readonly tokenProvider?: (() => string | Promise<string>) | undefined
}

/** Headers that carry a credential. */
export type CredentialHeaders = Readonly<Record<string, string>>

/**
 * Returns a function that makes the `authorization` header of a call: synchronous for a fixed token, else a promise.
 * Throws `TypeError` unless exactly one of the two is set and valid.
 *
 * The promise rejects with `UpstreamError` (`refused`, 401) if `tokenProvider` throws or returns an invalid header
 * value. No error message contains the token.
 */
export function accessToken(
  { token, tokenProvider }: AccessTokenOptions,
  owner: string,
): () => CredentialHeaders | Promise<CredentialHeaders> {
  if (tokenProvider === undefined) {
    const headers = bearer(validateToken(token, owner), owner, 'token')
    return () => headers
  }
  if (token !== undefined) throw new TypeError(`${owner}: give token or tokenProvider, not both.`)
  if (typeof tokenProvider !== 'function')
    throw new TypeError(`${owner}: got tokenProvider of type ${typeof tokenProvider}, expected a function.`)
  return async () => {
    try {
      return bearer(await tokenProvider(), owner, 'the token of tokenProvider')
    } catch (cause) {
      throw new UpstreamError(
        `${owner}: tokenProvider failed or returned no access token. Its error is the cause.`,
        {
          kind: 'refused',
          status: 401,
          cause,
        },
      )
    }
  }
}

function validateToken(token: string | undefined, owner: string): string {
  if (token !== undefined) return token
  throw new TypeError(`${owner}: token or tokenProvider is missing. Give one of them.`)
}
