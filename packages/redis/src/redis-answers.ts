import { createHash } from 'node:crypto'
import type { AddResult, CacheKey, CacheLifetime, CacheStore } from '@sluice/core/store'
import { addAnswer, getAnswer, replaceAnswer, setAnswer } from './lua/answers.ts'
import { type RedisClient, scriptRunner } from './redis-client.ts'
import { script } from './script.ts'
import { checkedPrefix, spelled } from './store-keys.ts'
import { wholeNumberOf } from './whole-number-of.ts'

export interface RedisCacheStoreOptions {
  /** What the names of all keys begin with; stores with the same one share their answers. Default: `sluice`. */
  readonly prefix?: string
  /** How many texts one owner may have: a principal, or a group that shares answers. Default 1,000. */
  readonly maxEntriesPerOwner?: number
}

const getting = script(getAnswer)
const setting = script(setAnswer)
const adding = script(addAnswer)
const replacing = script(replaceAnswer)

/**
 * Stores answers in Redis (5 and newer) or Valkey, for `responseCache` and `idempotency`: all processes that share the
 * server share them. Each operation is one script and one round trip. Each key has an expiry, by the server's clock; in
 * a cluster the owners are spread over all nodes. An owner that has all of its share makes room by the text whose time
 * ends first. Nothing here evicts a pinned text, but a server with a `maxmemory-policy` other than `noeviction` may.
 *
 * The client is yours: connect it, listen to its errors, close it. An operation rejects with what the client rejects
 * with, and throws `TypeError` for a time that is none. Throws `TypeError` for what is no client, and for options that it
 * cannot use.
 */
export function redisCacheStore(client: RedisClient, options: RedisCacheStoreOptions = {}): CacheStore {
  const { prefix = 'sluice', maxEntriesPerOwner = 1_000 } = options
  const runner = scriptRunner(client, 'redisAnswers')
  checkedPrefix(prefix, 'redisAnswers')
  checkShare(maxEntriesPerOwner)
  const most = String(maxEntriesPerOwner)
  const keysOf = ({ owner, name }: CacheKey) => {
    const tag = `{${prefix}:answers:${digestOf(owner)}}`
    return [`${tag}:text:${spelled(name)}`, `${tag}:evictable`, `${tag}:pinned`]
  }
  return {
    get: async key => textOf(await getting.run(runner, keysOf(key).slice(0, 1), [])),
    set: async (key, text, lifetime) => {
      flagOf(await setting.run(runner, keysOf(key), [most, text, ...argumentsOf(lifetime)]))
    },
    add: async (key, text, lifetime) =>
      addResultOf(await adding.run(runner, keysOf(key), [most, text, ...argumentsOf(lifetime)])),
    replace: async (key, expected, text, lifetime) => {
      const args = [most, expected, ...argumentsOf(lifetime)]
      return flagOf(await replacing.run(runner, keysOf(key), text === undefined ? args : [...args, text]))
    },
  }
}

/** Names of owners may be long, and hold what a hash tag cannot. */
function digestOf(owner: string): string {
  return createHash('sha256').update(spelled(owner)).digest('hex').slice(0, 32)
}

function checkShare(given: unknown): void {
  if (Number.isSafeInteger(given) && (given as number) >= 1 && (given as number) <= 1_000_000) return
  throw new TypeError(
    `redisAnswers(): got maxEntriesPerOwner ${String(given)}, expected a whole number from 1 to 1,000,000.`,
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
  throw new Error('Redis did not answer what its script for answers answers: expected a text or nothing.')
}

function addResultOf(reply: unknown): AddResult {
  const [result, existing]: readonly unknown[] = Array.isArray(reply) ? reply : []
  if (result === 'added' || result === 'full') return result
  if (result === 'existing' && typeof existing === 'string') return { existing }
  throw new Error('Redis did not answer what its script for answers answers: expected the result of adding.')
}

function flagOf(reply: unknown): boolean {
  const number = wholeNumberOf(reply)
  if (number === 0 || number === 1) return number === 1
  throw new Error('Redis did not answer what its script for answers answers: expected 0 or 1.')
}
