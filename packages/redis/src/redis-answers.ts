import type { AnswerStore } from '@sluice/core'
import { addAnswer, getAnswer, replaceAnswer, setAnswer } from './lua/answers.ts'
import { type RedisClient, scriptRunner } from './redis-client.ts'
import { script } from './script.ts'
import { checkedPrefix, spelled } from './store-keys.ts'
import { wholeNumberOf } from './whole-number-of.ts'

export interface RedisAnswersOptions {
  /** What the names of all keys begin with; stores with the same one share their answers. Default: `sluice`. */
  readonly prefix?: string
}

const getting = script(getAnswer)
const setting = script(setAnswer)
const adding = script(addAnswer)
const replacing = script(replaceAnswer)

/**
 * Keeps answers in Redis (5 and newer) or Valkey, for `responseCache` and `idempotency`: all processes that share the
 * server share them. Each operation is one script and one round trip. Each key has an expiry, by the server's clock; in
 * a cluster they are spread over all nodes.
 *
 * The client is yours: connect it, listen to its errors, close it. An operation rejects with what the client rejects
 * with, and throws `TypeError` for a time that is none. Throws `TypeError` for what is no client, and for a prefix that
 * it cannot use.
 */
export function redisAnswers(
  client: RedisClient,
  { prefix = 'sluice' }: RedisAnswersOptions = {},
): AnswerStore {
  const runner = scriptRunner(client, 'redisAnswers')
  checkedPrefix(prefix, 'redisAnswers')
  const named = (key: string) => [`${prefix}:answer:${spelled(key)}`]
  return {
    get: async key => textOf(await getting.run(runner, named(key), [])),
    set: async (key, text, ttlMs) => {
      flagOf(await setting.run(runner, named(key), [text, milliseconds(ttlMs)]))
    },
    add: async (key, text, ttlMs) =>
      textOf(await adding.run(runner, named(key), [text, milliseconds(ttlMs)])),
    replace: async (key, kept, text, ttlMs) => {
      const args = [kept, milliseconds(ttlMs)]
      return flagOf(await replacing.run(runner, named(key), text === undefined ? args : [...args, text]))
    },
  }
}

function milliseconds(ttlMs: number): string {
  if (Number.isFinite(ttlMs) && ttlMs > 0) return String(Math.ceil(ttlMs))
  throw new TypeError(`ttlMs: got ${ttlMs}, expected milliseconds above 0.`)
}

function textOf(reply: unknown): string | undefined {
  if (reply === null) return undefined
  if (typeof reply === 'string') return reply
  throw new Error('Redis did not answer what its script for answers answers: expected a text or nothing.')
}

function flagOf(reply: unknown): boolean {
  const number = wholeNumberOf(reply)
  if (number === 0 || number === 1) return number === 1
  throw new Error('Redis did not answer what its script for answers answers: expected 0 or 1.')
}
