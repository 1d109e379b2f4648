import type { StoredKey } from '@sluice/core'
import type { KeyRow } from '../api.ts'

/** What may be seen of a key: no digest, and nothing that a store may keep beside. */
export function keyRow(key: StoredKey): KeyRow {
  return {
    id: key.id,
    name: key.name,
    models: key.models,
    tags: key.tags,
    limits: key.limits,
    disabled: key.disabled,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    lastUsedAt: key.lastUsedAt,
    secrets: key.secrets.map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt })),
  }
}
