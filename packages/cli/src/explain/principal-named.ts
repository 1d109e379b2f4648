import type { Database, Principal } from '@sluice/core'
import type { TypedConfig } from '../config/config.ts'

/** The caller of an id, as `apiKeys` makes it: of a key of the configuration, or of one that was issued and holds. */
export async function principalNamed(
  id: string,
  { keys = [] }: TypedConfig,
  database: Database | undefined,
): Promise<Principal | undefined> {
  const own = keys.find(key => key.id === id)
  if (own !== undefined) return principalOf(own)
  const stored = await database?.keys.get(id)
  return stored === undefined || stored.disabled ? undefined : principalOf(stored)
}

type Described = { readonly [Name in 'models' | 'tags' | 'limits']?: Principal[Name] | null }

function principalOf({ id, models, tags, limits }: Described & { readonly id: string }): Principal {
  return {
    id,
    source: 'api_keys',
    ...(models && { models }),
    ...(tags && { tags }),
    ...(limits && { limits }),
  }
}
