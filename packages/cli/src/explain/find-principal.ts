import type { AuthFailure, Principal } from '@sluice/core'
import type { Database } from '@sluice/core/store'
import type { TypedConfig } from '../config/config.ts'

/** Whom an id names: a caller, or the reason why nobody can call by that key now. */
export type NamedCaller =
  | { readonly principal: Principal }
  | { readonly principal: undefined; readonly failure: AuthFailure }

/** Finds a key of the configuration, or an issued one, by its id. Resolves to `undefined` where there is none. */
export async function findPrincipal(
  id: string,
  { keys = [] }: TypedConfig,
  database: Database | undefined,
  now: number,
): Promise<NamedCaller | undefined> {
  const own = keys.find(key => key.id === id)
  if (own !== undefined) return { principal: principalOf(own) }
  const stored = await database?.keys.get(id)
  if (stored === undefined) return undefined
  const { disabled, expiresAt } = stored
  if (disabled) return { principal: undefined, failure: { reason: 'disabled', id } }
  if (expiresAt !== null && now >= expiresAt) {
    return { principal: undefined, failure: { reason: 'expired', id } }
  }
  return { principal: principalOf(stored) }
}

type Described = { readonly [Name in 'models' | 'tags' | 'limits']?: Principal[Name] | null } & Pick<
  Principal,
  'storeResponses'
>

function principalOf({
  id,
  models,
  tags,
  limits,
  storeResponses,
}: Described & { readonly id: string }): Principal {
  return {
    id,
    source: 'api_keys',
    ...(models && { models }),
    ...(tags && { tags }),
    ...(limits && { limits }),
    ...(storeResponses !== undefined && { storeResponses }),
  }
}
