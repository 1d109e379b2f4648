import assert from 'node:assert/strict'
import type { ApiKeyRecord, KeyStore } from '@sluice/core'
import { type KeyRepository, keyStore } from '@sluice/core/keys'

/** A key store with a stopped clock. */
export interface ClockedKeys {
  readonly rows: KeyRepository
  readonly keys: KeyStore
  /** Milliseconds since 1970. */
  readonly now: number
  pass(ms: number): void
  /** Finds a key by its text, as a gateway does: not one that has expired. */
  find(key: string): Promise<ApiKeyRecord | undefined>
}

/** Creates a key store with a manual clock. */
export async function clockedKeys(make: () => Promise<KeyRepository>): Promise<ClockedKeys> {
  const rows = await make()
  let now = Date.UTC(2026, 10, 21, 12)
  const keys = keyStore(rows, { now: () => now })
  return {
    rows,
    keys,
    get now() {
      return now
    },
    pass(ms) {
      now += ms
    },
    async find(key) {
      const [digest] = keys.digests(key)
      assert.ok(digest !== undefined, 'a fresh key has a digest')
      const record = await keys.find(digest)
      return record?.expiresAt != null && now >= Number(record.expiresAt) ? undefined : record
    },
  }
}
