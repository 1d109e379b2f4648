import type { StoredKey } from '@sluice/core'

/** A key as it is printed as JSON. */
export type ShownKey = Omit<StoredKey, 'secrets' | Moment> & Readonly<Record<Moment, string | null>>

type Moment = 'createdAt' | 'expiresAt' | 'lastUsedAt'

/** Everything that is stored of a key except the digests of its secrets. Times are ISO 8601 in UTC. */
export function shownKey({ secrets, ...key }: StoredKey): ShownKey {
  return {
    ...key,
    createdAt: isoTime(key.createdAt),
    expiresAt: isoTime(key.expiresAt),
    lastUsedAt: isoTime(key.lastUsedAt),
  }
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
