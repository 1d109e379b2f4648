import { LRUCache } from 'lru-cache'
import type { ApiKeyLookup, ApiKeysOptions, Find } from './api-keys.ts'
import { type ApiKeyRecord, recordFault } from './key-record.ts'

const longestMs = 5_000

/**
 * A store's lookup, asked once in a while for each key: the found and the unknown ones are remembered, from when the
 * store was asked on. The clock is a steady one: the time of day may be put back.
 *
 * Throws `TypeError` for bounds that are none.
 */
export function remembered(lookup: ApiKeyLookup, options: ApiKeysOptions): Find {
  const now = options.now ?? (() => performance.now())
  const ttl = options.cacheMs ?? longestMs
  if (!(ttl > 0 && ttl <= longestMs)) {
    throw new TypeError(`apiKeys(): cacheMs is ${ttl}, expected a number above 0, at most ${longestMs}.`)
  }
  const maxUnknown = options.maxUnknown ?? 10_000
  if (!(Number.isSafeInteger(maxUnknown) && maxUnknown > 0)) {
    throw new TypeError(`apiKeys(): maxUnknown is ${maxUnknown}, expected a whole number from 1.`)
  }
  const age = { ttl, perf: { now }, ttlResolution: 0 }
  const known = new LRUCache<string, ApiKeyRecord>({ max: 10_000, ...age })
  const unknown = new LRUCache<string, true>({ max: maxUnknown, ...age })
  return digest => {
    const record = known.get(digest)
    if (record !== undefined) return record
    if (unknown.has(digest)) return undefined
    const start = now()
    return Promise.resolve(lookup(digest)).then(found => {
      if (found === undefined || found === null) {
        unknown.set(digest, true, { start })
        return undefined
      }
      const fault = recordFault(found)
      if (fault !== undefined) throw new TypeError(`apiKeys(): what the lookup found ${fault}`)
      known.set(digest, found, { start })
      return found
    })
  }
}
