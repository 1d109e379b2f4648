import type { StoredKey } from '@sluice/core'

/** What of a key is printed as JSON: all that is kept, but for the digests of its secrets. */
export function shownKey({ secrets, ...rest }: StoredKey): Omit<StoredKey, 'secrets'> {
  return rest
}
