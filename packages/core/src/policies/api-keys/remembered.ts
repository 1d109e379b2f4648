import { LRUCache } from 'lru-cache'
import type { ApiKeyLookup, ApiKeysOptions, Find } from './api-keys.ts'
import { type ApiKeyRecord, recordFault } from './key-record.ts'

const longestMs = 5_000

/** A store's lookup, asked once in a while for each key: the found and the unknown ones are remembered. */
export function remembered(lookup: ApiKeyLookup, options: ApiKeysOptions, now: () => number): Find {
  const ttl = options.cacheMs ?? longestMs
  if (!(ttl > 0 && ttl <= longestMs)) {
    throw new TypeError(`apiKeys(): cacheMs is ${ttl}, expected a number above 0, at most ${longestMs}.`)
  }
  const age = { ttl, perf: { now }, ttlResolution: 0 }
  const known = new LRUCache<string, ApiKeyRecord>({ max: 10_000, ...age })
  const unknown = new LRUCache<string, true>({ max: options.maxUnknown ?? 10_000, ...age })
  return digest => {
    const record = known.get(digest)
    if (record !== undefined) return record
    if (unknown.has(digest)) return undefined
    return Promise.resolve(lookup(digest)).then(found => {
      if (found === undefined || found === null) {
        unknown.set(digest, true)
        return undefined
      }
      const fault = recordFault(found)
      if (fault !== undefined) throw new TypeError(`apiKeys(): what the lookup found ${fault}`)
      known.set(digest, found)
      return found
    })
  }
}
