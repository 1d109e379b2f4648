import { createHash } from 'node:crypto'
import { type ResponseStore, type ResponseStoreOptions, responseBounds } from '@sluice/core/store'
import {
  deleteResponse,
  deleteResponses,
  findResponseItem,
  getResponse,
  putResponse,
} from './lua/responses.ts'
import { parseWholeNumber } from './parse-whole-number.ts'
import { type RedisClient, scriptRunner } from './redis-client.ts'
import { script } from './script.ts'
import { encodeKeyPart, validatePrefix } from './store-keys.ts'

/** Options of `redisResponseStore()`. */
export interface RedisResponseStoreOptions extends ResponseStoreOptions {
  /** The prefix of all keys; stores with the same prefix share their responses. Default `sluice`. */
  readonly prefix?: string | undefined
}

const putScript = script(putResponse)
const getScript = script(getResponse)
const findScript = script(findResponseItem)
const deleteScript = script(deleteResponse)
const deleteAllScript = script(deleteResponses)

/** How many responses one script deletes: the server answers nobody else meanwhile. */
const deletedAtOnce = 200

/**
 * Creates a response store in Redis (5 and newer) or Valkey, for the option `responses` of a gateway. All processes that share the
 * server share it. Each operation is one script and one round trip. For a principal at its maximum, the response that was not
 * read for the longest time is evicted. A response larger than `maxBytesPerOwner` is not stored.
 *
 * You own the client: connect it, handle its errors, close it. Throws `TypeError` for an invalid client or option.
 */
export function redisResponseStore(
  client: RedisClient,
  options: RedisResponseStoreOptions = {},
): ResponseStore {
  const { prefix = 'sluice', ...given } = options
  const runner = scriptRunner(client, 'redisResponseStore')
  validatePrefix(prefix, 'redisResponseStore')
  const { ttlMs, renewMs, ...bounds } = responseBounds('redisResponseStore()', given)
  const maximums = [ttlMs, bounds.maxResponsesPerOwner, bounds.maxBytesPerOwner].map(String)
  const lives = [ttlMs - renewMs, ttlMs].map(String)
  const keysOf = (owner: string) => {
    const tag = `{${prefix}:responses:${digestOf(owner)}}`
    return [`${tag}:order`, `${tag}:items`, `${tag}:sizes`]
  }
  const keysWith = (owner: string, id: string) => {
    const keys = keysOf(owner)
    return [...keys, `${keys[0]!.replace(/order$/, 'text')}:${encodeKeyPart(id)}`]
  }
  return {
    put: async ({ owner, id, itemIds, text }) => {
      const bytes = Buffer.byteLength(text)
      const args = [text, ...maximums, String(bytes), ...itemIds.map(encodeKeyPart)]
      countOf(await putScript.run(runner, keysWith(owner, id), args))
      return bytes <= bounds.maxBytesPerOwner
    },
    get: async (owner, id) => textOf(await getScript.run(runner, keysWith(owner, id), lives)),
    findItem: async (owner, itemId) =>
      textOf(await findScript.run(runner, keysOf(owner), [...lives, encodeKeyPart(itemId)])),
    delete: async (owner, id) => countOf(await deleteScript.run(runner, keysWith(owner, id), [])) > 0,
    deleteOwner: async owner => {
      for (let all = 0; ; ) {
        const reply = await deleteAllScript.run(runner, keysOf(owner), [String(deletedAtOnce)])
        const [deleted, left]: readonly unknown[] = Array.isArray(reply) ? reply : []
        all += countOf(deleted)
        if (countOf(left) === 0) return all
      }
    },
  }
}

/** Owners can be long, and contain characters that a hash tag cannot. */
function digestOf(owner: string): string {
  return createHash('sha256').update(owner, 'utf16le').digest('hex').slice(0, 32)
}

function textOf(reply: unknown): string | undefined {
  if (reply === null) return undefined
  if (typeof reply === 'string') return reply
  throw new Error('Redis did not answer what its response script answers: expected a string or null.')
}

function countOf(reply: unknown): number {
  const count = parseWholeNumber(reply)
  if (count >= 0) return count
  throw new Error('Redis did not answer what its response script answers: expected a count.')
}
