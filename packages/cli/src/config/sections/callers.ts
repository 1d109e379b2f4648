import { isDeepStrictEqual } from 'node:util'
import { type ApiKey, type Authenticator, apiKeys, type Observer } from '@sluice/core'
import { jwt } from '@sluice/jwt'
import type { JwtConfig, TypedConfig } from '../config.ts'
import { collectIssues, collectOptionIssues } from '../shape/collect-issues.ts'
import type { ConfigLocation } from '../shape/shape.ts'
import { checkModelNames, checkRules } from './check-rules.ts'

/** Makes callers of the tokens that a configuration speaks of. */
export type TokenCallers = (tokens: JwtConfig) => Authenticator

/** Returns the callers that a configuration itself names. Reports invalid ones. */
export function callersOf(
  config: TypedConfig,
  root: ConfigLocation,
  tokenCallers: TokenCallers,
): readonly Authenticator[] {
  const { keys = [], jwt: tokens, state, gateway } = config
  const location = root.at('keys')
  for (const [at, key] of keys.entries()) {
    const own = location.at(at)
    if (root.issues.has(own.path)) continue
    checkModelNames(key.models, config, own.at('models'))
    checkRules(key.limits, config, own.at('limits'))
    if ((key.key === undefined) === (key.hash === undefined)) {
      own.add({
        got: key.key === undefined ? 'neither key nor hash' : 'both key and hash',
        expected: 'exactly one of them',
        ...(key.key === undefined && {
          fix: 'If code reads it from the environment, check that the variable is set.',
        }),
      })
    } else if (!root.issues.has(own.path)) collectIssues(own, () => apiKeys([key as ApiKey]))
  }
  const listed = root.issues.has(location.path)
    ? undefined
    : collectOptionIssues(location, () => apiKeys(keys as readonly ApiKey[]))
  const bearers =
    tokens === undefined || root.issues.has(['jwt'])
      ? undefined
      : collectOptionIssues(root.at('jwt'), () => tokenCallers(tokens))
  const isOpen = keys.length > 0 || tokens !== undefined || state?.database !== undefined
  if (!isOpen && gateway?.authenticate === undefined) {
    root.at('keys').add({
      got: 'nothing',
      expected: 'at least one kind of caller: keys, jwt, or state.database for created keys',
      fix: `For example keys: [{ id: 'me', key: '\${SLUICE_KEY}' }].`,
    })
  }
  return [...(listed && keys.length > 0 ? [listed] : []), ...(bearers ? [bearers] : [])]
}

/**
 * Authenticates tokens for successive configurations. While an issuer's settings stay the same, its loaded keys stay in
 * use, also when the issuer is down. `observe` receives an event then.
 */
export function cachedTokenCallers(observe: Observer): TokenCallers {
  let cached: { readonly tokens: JwtConfig; readonly callers: Authenticator } | undefined
  return tokens => {
    if (cached === undefined || !isDeepStrictEqual(cached.tokens, tokens))
      cached = { tokens, callers: jwt({ ...tokens, observe }) }
    return cached.callers
  }
}
