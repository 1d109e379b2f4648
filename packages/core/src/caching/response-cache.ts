import type { AnswerStore } from '../contracts/answer-store.ts'
import type { Principal } from '../contracts/principal.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { digestOf } from '../primitives/sha256.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { isKnownField } from '../protocol/chat-fields.ts'
import {
  aFunction,
  aStore,
  checkOptions,
  defaultMaxBytes,
  milliseconds,
  wholeBytes,
} from './answer-options.ts'
import type { ResponseCache } from './cached.ts'
import { memoryAnswers } from './memory-answers.ts'

export interface ResponseCacheOptions {
  /** How long an answer is kept, in milliseconds. */
  readonly ttlMs: number
  /** Where answers are kept. Default: `memoryAnswers()`, in this process. */
  readonly store?: AnswerStore
  /** How many bytes the text of an answer may have; a larger one is not kept. Default 1,048,576 (1 MiB). */
  readonly maxBytes?: number
  /**
   * Which requests are cached. Default: those with `temperature: 0` and one choice, that neither search the web nor ask
   * the vendor to `store`, and whose fields the protocol all knows.
   */
  readonly cacheable?: (input: ChatRequest, principal: Principal) => boolean
  /**
   * Who shares answers. Default `principal`: nobody. A function names a group whose members share them, whatever their
   * routes and limits; those for whom it gives `undefined` have no answers kept.
   */
  readonly scope?: 'principal' | ((principal: Principal) => string | undefined)
}

/** Another one wherever answers of before must not be found any more. */
const version = '2'

/**
 * Keeps finished answers, and gives them again to the same request of the same principal. The same means all of it:
 * an answer is kept under the SHA-256 of the scope, the model and every field, `stream` and `user` included.
 *
 * Throws `TypeError` naming every option that it cannot use.
 */
export function responseCache(given: ResponseCacheOptions): ResponseCache {
  const options = ownMembers(given)
  checkOptions('responseCache', { ...options, ttlMs: options.ttlMs }, checks, ['ttlMs'])
  const { ttlMs, maxBytes = defaultMaxBytes, cacheable = isDeterministic, scope = 'principal' } = options
  return {
    store: options.store ?? memoryAnswers(),
    ttlMs,
    maxBytes,
    async keyOf(input, principal) {
      if (!isCacheable(cacheable(input, principal))) return undefined
      const [kind, name] =
        scope === 'principal' ? [scope, principalKey(principal)] : ['group', scope(principal)]
      if (name === undefined) return undefined
      if (typeof name === 'string') {
        const digest = await digestOf(version, kind, name, input.model, input)
        return { owner: `cache ${kind} ${name}`, name: `cache:${digest}` }
      }
      throw new TypeError(`responseCache().scope gave ${typeof name}, expected a text or undefined.`)
    },
  }
}

function isDeterministic(input: ChatRequest): boolean {
  return (
    input.temperature === 0 &&
    (input.n ?? 1) === 1 &&
    input.web_search_options === undefined &&
    input.store !== true &&
    Object.keys(input).every(isKnownField)
  )
}

/** A promise would be a yes to all. */
function isCacheable(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  throw new TypeError(`responseCache().cacheable gave ${typeof answer}, expected true or false.`)
}

const checks = {
  ttlMs: milliseconds,
  store: aStore,
  maxBytes: wholeBytes,
  cacheable: aFunction,
  scope: (value: unknown) =>
    value === 'principal' || aFunction(value) === undefined ? undefined : "'principal' or a function",
}
