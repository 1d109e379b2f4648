import { createHash } from 'node:crypto'
import type { AddResult, CacheKey, CacheLifetime, CacheStore } from '@sluice/core/store'
import { addEntry, deleteEntries, getEntry, replaceEntry, setEntry } from './lua/cache.ts'
import { parseWholeNumber } from './parse-whole-number.ts'
import { type RedisClient, scriptRunner } from './redis-client.ts'
import { script } from './script.ts'
import { encodeKeyPart, validatePrefix } from './store-keys.ts'

/** Options of `redisCacheStore()`. */
export interface RedisCacheStoreOptions {
  /** The prefix of all keys; stores with the same prefix share their entries. Default `sluice`. */
  readonly prefix?: string | undefined
  /** Maximum number of entries per owner: a principal, or a group of principals that share responses. Default 1,000. */
  readonly maxEntriesPerOwner?: number | undefined
}

const getScript = script(getEntry)
const setScript = script(setEntry)
const addScript = script(addEntry)
const replaceScript = script(replaceEntry)
const deleteScript = script(deleteEntries)

/** How many entries one script deletes: the server answers nobody else meanwhile. */
const deletedAtOnce = 500

/**
 * Creates a cache store in Redis (5 and newer) or Valkey, for `responseCache` and `idempotency`. All processes that share
 * the server share it. Each operation is one script and one round trip. Each key has an expiry by the server's clock; a
 * cluster spreads the owners over all nodes. For an owner at its maximum, the entry that expires first is evicted. Pinned
 * entries are never evicted if the server's `maxmemory-policy` is `noeviction`; with another one, Redis may evict them.
 *
 * You own the client: connect it, handle its errors, close it. An operation rejects with the client's error, and with
 * `TypeError` for an invalid `ttlMs`. Throws `TypeError` for an invalid client or option.
 */
export function redisCacheStore(client: RedisClient, options: RedisCacheStoreOptions = {}): CacheStore {
  const { prefix = 'sluice', maxEntriesPerOwner = 1_000 } = options
  const runner = scriptRunner(client, 'redisCacheStore')
  validatePrefix(prefix, 'redisCacheStore')
  validateMaxEntries(maxEntriesPerOwner)
  const most = String(maxEntriesPerOwner)
  const tagOf = (owner: string) => `{${prefix}:answers:${digestOf(owner)}}`
  const listsOf = (tag: string) => [`${tag}:evictable`, `${tag}:pinned`]
  const keysOf = ({ owner, name }: CacheKey) => {
    const tag = tagOf(owner)
    return [`${tag}:text:${encodeKeyPart(name)}`, ...listsOf(tag)]
  }
  return {
    get: async key => textOf(await getScript.run(runner, keysOf(key).slice(0, 1), [])),
    set: async (key, text, lifetime) => {
      flagOf(await setScript.run(runner, keysOf(key), [most, text, ...argumentsOf(lifetime)]))
    },
    add: async (key, text, lifetime) =>
      addResultOf(await addScript.run(runner, keysOf(key), [most, text, ...argumentsOf(lifetime)])),
    replace: async (key, expected, text, lifetime) => {
      const args = [most, expected, ...argumentsOf(lifetime)]
      return flagOf(await replaceScript.run(runner, keysOf(key), text === undefined ? args : [...args, text]))
    },
    deleteOwner: async owner => {
      const lists = listsOf(tagOf(owner))
      let all = 0
      for (let left = 1; left > 0; ) {
        const reply = await deleteScript.run(runner, lists, [String(deletedAtOnce)])
        const [deleted = Number.NaN, rest = Number.NaN] = Array.isArray(reply)
          ? reply.map(parseWholeNumber)
          : []
        if (!(deleted >= 0 && rest >= 0)) {
          throw new Error('Redis did not answer what its cache script answers: expected two counts.')
        }
        all += deleted
        left = rest
      }
      return all
    },
  }
}

/** Owners can be long, and contain characters that a hash tag cannot. */
function digestOf(owner: string): string {
  return createHash('sha256').update(encodeKeyPart(owner)).digest('hex').slice(0, 32)
}

function validateMaxEntries(given: unknown): void {
  if (Number.isSafeInteger(given) && (given as number) >= 1 && (given as number) <= 1_000_000) return
  throw new TypeError(
    `redisCacheStore(): got maxEntriesPerOwner ${String(given)}, expected a whole number from 1 to 1,000,000.`,
  )
}

function argumentsOf({ ttlMs, pinned }: CacheLifetime): [ms: string, pinned: string] {
  if (!(Number.isFinite(ttlMs) && ttlMs > 0)) {
    throw new TypeError(`ttlMs: got ${ttlMs}, expected milliseconds above 0.`)
  }
  return [String(Math.ceil(ttlMs)), pinned === true ? '1' : '0']
}

function textOf(reply: unknown): string | undefined {
  if (reply === null) return undefined
  if (typeof reply === 'string') return reply
  throw new Error('Redis did not answer what its cache script answers: expected a string or null.')
}

function addResultOf(reply: unknown): AddResult {
  const [result, existing]: readonly unknown[] = Array.isArray(reply) ? reply : []
  if (result === 'added' || result === 'full') return result
  if (result === 'existing' && typeof existing === 'string') return { existing }
  throw new Error(
    'Redis did not answer what its cache script answers: expected added, full or an existing entry.',
  )
}

function flagOf(reply: unknown): boolean {
  const number = parseWholeNumber(reply)
  if (number === 0 || number === 1) return number === 1
  throw new Error('Redis did not answer what its cache script answers: expected 0 or 1.')
}
