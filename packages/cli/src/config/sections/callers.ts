import { isDeepStrictEqual } from 'node:util'
import { type ApiKey, type Authenticator, apiKeys, type Observer } from '@sluice/core'
import { jwt } from '@sluice/jwt'
import type { JwtConfig, TypedConfig } from '../config.ts'
import { tried, triedOptions } from '../shape/collect-issues.ts'
import type { Place } from '../shape/shape.ts'
import { checkModelNames, checkRules } from './check-rules.ts'

/** Makes callers of the tokens that a configuration speaks of. */
export type TokenCallers = (tokens: JwtConfig) => Authenticator

/** Who may call, as far as a configuration says so itself. What is wrong is told. */
export function callersOf(
  config: TypedConfig,
  root: Place,
  tokenCallers: TokenCallers,
): readonly Authenticator[] {
  const { keys = [], jwt: tokens, state, gateway } = config
  const place = root.at('keys')
  for (const [at, key] of keys.entries()) {
    const own = place.at(at)
    if (root.faults.has(own.path)) continue
    checkModelNames(key.models, config, own.at('models'))
    checkRules(key.limits, config, own.at('limits'))
    if ((key.key === undefined) === (key.hash === undefined)) {
      own.add({
        got: key.key === undefined ? 'neither key nor hash' : 'key and hash',
        expected: 'one of the two',
        ...(key.key === undefined && {
          mend: 'Code that takes it from the environment gives none where the variable is not set.',
        }),
      })
    } else if (!root.faults.has(own.path)) tried(own, () => apiKeys([key as ApiKey]))
  }
  const listed = root.faults.has(place.path)
    ? undefined
    : triedOptions(place, () => apiKeys(keys as readonly ApiKey[]))
  const bearers =
    tokens === undefined || root.faults.has(['jwt'])
      ? undefined
      : triedOptions(root.at('jwt'), () => tokenCallers(tokens))
  const isOpen = keys.length > 0 || tokens !== undefined || state?.database !== undefined
  if (!isOpen && gateway?.authenticate === undefined) {
    root.at('keys').add({
      got: 'nothing',
      expected: 'somebody who may call: keys, jwt, or state.database for keys that are issued',
      mend: `Such as keys: [{ id: 'me', key: '\${SLUICE_KEY}' }].`,
    })
  }
  return [...(listed && keys.length > 0 ? [listed] : []), ...(bearers ? [bearers] : [])]
}

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
