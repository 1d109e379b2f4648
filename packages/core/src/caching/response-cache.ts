import type { CacheKey, CacheStore, GuardedCacheStore } from '../contracts/cache-store.ts'
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
} from './cache-options.ts'
import { type CachedResponse, type CacheWriter, keptAnswerOf, parsedText } from './cached-response.ts'
import { memoryCacheStore } from './memory-cache-store.ts'

export interface ResponseCacheOptions {
  /** How long an answer is kept, in milliseconds. */
  readonly ttlMs: number
  /** Where answers are kept. Default: `memoryAnswers()`, in this process. */
  readonly store?: CacheStore
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
    store: options.store ?? memoryCacheStore(),
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

/** Says which requests have the same answer: `responseCache({...})`. */
export interface ResponseCache<Store = CacheStore> {
  readonly store: Store
  /** How long an answer is kept, in milliseconds. */
  readonly ttlMs: number
  /** How many bytes the text of an answer may have. */
  readonly maxBytes: number
  /**
   * Returns what an answer is stored under: a name that differs wherever the answer could, and whose share of the store
   * it counts against. `undefined`: this request is not looked up, and its answer is not stored. `input` is valid, and
   * bounded as it is sent upstream.
   */
  keyOf(input: ChatRequest, principal: Principal): CacheKey | undefined | Promise<CacheKey | undefined>
}

/** What is kept of a request that may be cached, or where its answer is to be kept. */
interface Cached {
  readonly answer?: CachedResponse
  readonly keeper?: CacheWriter
}

/**
 * Was it answered before, to the same? Gives `undefined` for a request that is not cached. A store that fails is as
 * one that has nothing. `cache-control` of the request is heard: `no-cache` asks anew, `no-store` keeps nothing.
 *
 * Throws `TypeError` for what is no key: nothing is shared by mistake.
 */
export async function lookUpCache(
  request: Request,
  input: ChatRequest,
  principal: Principal,
  cache: ResponseCache<GuardedCacheStore>,
): Promise<Cached | undefined> {
  const key: unknown = await cache.keyOf(input, principal)
  if (key === undefined) return undefined
  if (!isAnswerKey(key)) {
    throw new TypeError(
      `cache.keyOf returned no key: got ${typeof key}, expected { owner, name } with two texts, or undefined.`,
    )
  }
  const directives = directivesOf(request.headers.get('cache-control'))
  if (!directives.includes('no-cache')) {
    const answer = await lookUp(key, input, cache.store)
    if (answer !== undefined) return { answer }
  }
  return directives.includes('no-store') ? {} : { keeper: keeperOf(key, cache) }
}

function isAnswerKey(value: unknown): value is CacheKey {
  if (typeof value !== 'object' || value === null) return false
  const { owner, name } = value as Partial<Record<keyof CacheKey, unknown>>
  return typeof owner === 'string' && owner !== '' && typeof name === 'string' && name !== ''
}

async function lookUp(
  key: CacheKey,
  input: ChatRequest,
  store: GuardedCacheStore,
): Promise<CachedResponse | undefined> {
  const found = await store.get(key)
  if (!found.ok || found.value === undefined) return undefined
  const answer = keptAnswerOf(parsedText(found.value))
  // A key of the user's making may forget the form.
  return answer?.stream === (input.stream === true) ? answer : undefined
}

function keeperOf(key: CacheKey, { store, ttlMs, maxBytes }: ResponseCache<GuardedCacheStore>): CacheWriter {
  return {
    maxBytes,
    async completed(answer) {
      if (answer !== undefined) await store.set(key, JSON.stringify(answer), { ttlMs })
    },
    failed() {},
  }
}

function directivesOf(header: string | null): readonly string[] {
  return header === null ? [] : header.split(',').map(directive => directive.trim().toLowerCase())
}
