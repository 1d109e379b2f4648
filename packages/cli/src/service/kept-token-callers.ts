import { isDeepStrictEqual } from 'node:util'
import type { Authenticator, Observer } from '@sluice/core'
import { jwt } from '@sluice/jwt'
import type { JwtConfig } from '../config/config.ts'
import type { TokenCallers } from '../config/parts/callers.ts'

/**
 * Callers with tokens, for configurations that come after one another: while an issuer is the same, its keys that were
 * read stay, also where it does not answer. `observe` is told of that.
 */
export function keptTokenCallers(observe: Observer): TokenCallers {
  let kept: { readonly tokens: JwtConfig; readonly callers: Authenticator } | undefined
  return tokens => {
    if (kept === undefined || !isDeepStrictEqual(kept.tokens, tokens))
      kept = { tokens, callers: jwt({ ...tokens, observe }) }
    return kept.callers
  }
}
