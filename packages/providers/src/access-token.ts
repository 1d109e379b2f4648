import { UpstreamError } from '@sluice/core/provider'
import { bearer } from './request-headers.ts'

/** How a service gets its access token: one of the two. */
export interface AccessTokenOptions {
  /** A token that does not change. */
  readonly token?: string | undefined
  /** Asked before each call; it keeps and renews the token itself. */
  readonly tokenProvider?: (() => string | Promise<string>) | undefined
}

/** Headers that carry a credential. */
export type CredentialHeaders = Readonly<Record<string, string>>

/**
 * An access token as the `authorization` header of each call: at once for a fixed token, a promise for a
 * provider. Throws `TypeError` where not exactly one of the two is given, or a fixed token is none.
 *
 * What it returns rejects with `UpstreamError` (`refused`, 401) where the provider throws, or gives what no
 * header can carry. The token is never part of a message.
 */
export function accessToken(
  { token, tokenProvider }: AccessTokenOptions,
  owner: string,
): () => CredentialHeaders | Promise<CredentialHeaders> {
  if (tokenProvider === undefined) {
    const headers = bearer(checkedToken(token, owner), owner, 'token')
    return () => headers
  }
  if (token !== undefined) throw new TypeError(`${owner}: give token or tokenProvider, not both.`)
  if (typeof tokenProvider !== 'function')
    throw new TypeError(`${owner}: tokenProvider has to be a function, not ${typeof tokenProvider}.`)
  return async () => {
    try {
      return bearer(await tokenProvider(), owner, 'the token of tokenProvider')
    } catch (cause) {
      throw new UpstreamError(`${owner}: tokenProvider gave no access token.`, {
        kind: 'refused',
        status: 401,
        cause,
      })
    }
  }
}

function checkedToken(token: string | undefined, owner: string): string {
  if (token !== undefined) return token
  throw new TypeError(`${owner}: token or tokenProvider is missing. Give one of them.`)
}
