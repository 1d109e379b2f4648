import type { CacheKey, CacheStore, GuardedCacheStore } from '../contracts/cache-store.ts'
import type { Draft } from '../contracts/draft.ts'
import type { EmbedRequest } from '../contracts/embedding.ts'
import type { ModerateRequest } from '../contracts/moderation.ts'
import type { Principal, PrincipalId } from '../contracts/principal.ts'
import type { RerankRequest } from '../contracts/rerank.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import { memberOf, ownMembers } from '../primitives/own-members.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { digestOf } from '../primitives/sha256.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import { isKnownField } from '../protocol/chat-fields.ts'
import { aStoreTimeout } from '../stores/store-timeout.ts'
import {
  aFunction,
  aStore,
  checkOptions,
  defaultMaxBytes,
  milliseconds,
  wholeBytes,
} from './cache-options.ts'
import { type CachedResponse, type CacheWriter, parsedText, toCachedResponse } from './cached-response.ts'
import { memoryCacheStore } from './memory-cache-store.ts'

/** Options of `responseCache`. */
export interface ResponseCacheOptions {
  /** How long a response is cached, in milliseconds. */
  readonly ttlMs: number
  /** Stores responses. Default: `memoryCacheStore()`, in this process. */
  readonly store?: CacheStore | undefined
  /** Maximum size of a cached response in bytes. Larger ones are not cached. Default 1,048,576 (1 MiB). */
  readonly maxBytes?: number | undefined
  /**
   * Timeout of a store operation, in milliseconds, from 1 to 60,000. A lookup that takes longer has failed, and is handled as a
   * miss. Default: `storeTimeoutMs` of the gateway, which is 50; of a store in memory that workers share, 500.
   */
  readonly storeTimeoutMs?: number | undefined
  /**
   * Decides which requests are cached. Default: those with `temperature: 0` and one choice, without web search, `store` or
   * fields outside the chat completions API.
   */
  readonly cacheable?: ((input: ChatRequest, principal: Principal) => boolean) | undefined
  /** Whether embeddings are cached, or which. Default: all. */
  readonly embeddings?: boolean | ((request: EmbedRequest, principal: Principal) => boolean) | undefined
  /** Whether orders of documents are cached. Default true. */
  readonly rerank?: boolean | undefined
  /** Whether results of moderation are cached. Default true. */
  readonly moderations?: boolean | undefined
  /**
   * Who shares cached responses: the owner of an entry. Default `principal`: each principal has its own. A function returns the
   * name of a group of principals that share them, whatever their routes and limits; for `undefined`, nothing is cached.
   */
  readonly scope?: 'principal' | ((principal: Principal) => string | undefined) | undefined
}

/** Part of every key. Change it to invalidate the responses of earlier versions. */
const version = '2'

/**
 * Caches complete responses for identical requests of the same principal. The key is the SHA-256 of the scope, the dialect,
 * the model and every field of the request, including `stream` and `user`.
 *
 * Throws `ConfigurationError` that lists all invalid options.
 */
export function responseCache(given: ResponseCacheOptions): ResponseCache {
  const options = ownMembers(given)
  checkOptions('responseCache', { ...options, ttlMs: options.ttlMs }, checks, ['ttlMs'])
  const { ttlMs, maxBytes = defaultMaxBytes, cacheable = isDeterministic, scope = 'principal' } = options
  const { embeddings = true, rerank = true, moderations = true, storeTimeoutMs } = options
  /** Returns the key of the owner's response to what `parts` say, or `undefined` if the scope has no owner. */
  const keyOf = async (principal: Principal, parts: readonly unknown[]): Promise<CacheKey | undefined> => {
    const [kind, name] =
      scope === 'principal' ? [scope, principalKey(principal)] : ['group', scope(principal)]
    if (name === undefined) return undefined
    if (typeof name === 'string') {
      const digest = await digestOf(version, kind, name, ...parts)
      const owner = scope === 'principal' ? ownResponses(principal) : `cache ${kind} ${name}`
      return { owner, name: `cache:${digest}` }
    }
    throw new TypeError(`responseCache().scope returned ${typeof name}, expected a string or undefined.`)
  }
  return {
    store: options.store ?? memoryCacheStore(),
    ttlMs,
    maxBytes,
    ...(storeTimeoutMs !== undefined && { storeTimeoutMs }),
    ...(scope === 'principal' && { ownerOf: ownResponses }),
    async keyOf(input, principal, { dialect, body }) {
      if (!isCacheable(cacheable(input, principal), 'cacheable')) return undefined
      // The chat form of another dialect's request may lack some of it.
      const translated = dialect === 'chat' ? [] : [dialect, body]
      return keyOf(principal, [input.model, input, ...translated])
    },
    async embedKeyOf(request, principal, { dialect, model, body }) {
      const cached = typeof embeddings === 'function' ? embeddings(request, principal) : embeddings
      if (!isCacheable(cached, 'embeddings')) return undefined
      return keyOf(principal, [model, dialect, body])
    },
    async singleKeyOf(_, principal, { operation, dialect, model, body }) {
      const cached = operation === 'rerank' ? rerank : moderations
      return cached ? keyOf(principal, [model, dialect, body]) : undefined
    },
  }
}

/** Returns the owner of a principal's responses that no other shares. */
function ownResponses(principal: PrincipalId): string {
  return `cache principal ${principalKey(principal)}`
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

/** Throws for anything but a boolean: a promise is truthy and would cache everything. */
function isCacheable(answer: unknown, option: 'cacheable' | 'embeddings'): boolean {
  if (typeof answer === 'boolean') return answer
  throw new TypeError(`responseCache().${option} returned ${typeof answer}, expected true or false.`)
}

function aBoolean(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'true or false'
}

const checks = {
  ttlMs: milliseconds,
  store: aStore,
  maxBytes: wholeBytes,
  storeTimeoutMs: aStoreTimeout,
  cacheable: aFunction,
  embeddings: (value: unknown) =>
    typeof value === 'boolean' || aFunction(value) === undefined ? undefined : 'true, false or a function',
  rerank: aBoolean,
  moderations: aBoolean,
  scope: (value: unknown) =>
    value === 'principal' || aFunction(value) === undefined ? undefined : "'principal' or a function",
}

/** A response cache: the result of `responseCache({...})`, or your own. */
export interface ResponseCache<Store = CacheStore> {
  readonly store: Store
  /** How long a response is cached, in milliseconds. */
  readonly ttlMs: number
  /** Maximum size of a cached response in bytes. */
  readonly maxBytes: number
  /** Timeout of a store operation, in milliseconds. Default: as of `responseCache`. */
  readonly storeTimeoutMs?: number
  /**
   * Returns the key of a response, or `undefined` to bypass the cache. Requests with the same key share a response; `owner` is
   * whose quota of the store it counts against. A response is shared only in the dialect and form in which it was written.
   *
   * `input` is validated, with its maximum output as it is sent upstream. It is the request as a chat completion; the caller's
   * own is in `draft`.
   */
  keyOf(
    input: ChatRequest,
    principal: Principal,
    draft: Draft,
  ): CacheKey | undefined | Promise<CacheKey | undefined>
  /** Returns the key of embeddings, or `undefined` to bypass the cache. Default: embeddings are not cached. */
  embedKeyOf?(
    request: EmbedRequest,
    principal: Principal,
    draft: Draft,
  ): CacheKey | undefined | Promise<CacheKey | undefined>
  /** Returns the key of an order of documents, or of a moderation; `undefined` to bypass the cache. Default: they are not cached. */
  singleKeyOf?(
    request: RerankRequest | ModerateRequest,
    principal: Principal,
    draft: Draft,
  ): CacheKey | undefined | Promise<CacheKey | undefined>
  /**
   * Returns the `owner` of a principal's responses if no other principal shares them: `deletePrincipal` deletes them. Default:
   * they stay until they expire.
   */
  ownerOf?(principal: PrincipalId): string | undefined
}

/** The cached response of a request, or the writer for a new one. */
interface CacheLookup {
  readonly answer?: CachedResponse
  readonly keeper?: CacheWriter
  /** Whether there is no answer because the store failed. */
  readonly failed?: boolean
}

/**
 * Looks up the response of a request. Returns `undefined` if the request is not cacheable: also where it has fields or tools that
 * no chat completion has, as what they do is not known. A failing store is a cache miss.
 * Honours `cache-control` of the request: `no-cache` skips the lookup, `no-store` does not store the response.
 *
 * Throws `TypeError` for an invalid key, so that nothing is shared by mistake.
 */
export async function lookUpCache(
  request: Request,
  draft: Draft,
  asked: CacheableRequest,
  principal: Principal,
  cache: ResponseCache<GuardedCacheStore>,
): Promise<CacheLookup | undefined> {
  if (!('inputs' in asked) && (asked.translationLosses?.().length ?? 0) > 0) return undefined
  const ownKey: unknown = await keyOfRequest(asked, principal, draft, cache)
  if (ownKey === undefined) return undefined
  if (!isAnswerKey(ownKey)) {
    throw new TypeError(
      `cache.${keyFunctionOf(asked)} returned an invalid key: got ${typeof ownKey}, expected { owner, name } with two strings, or undefined.`,
    )
  }
  const key = await withHooks(await withHeaders(ownKey, asked), draft)
  const directives = directivesOf(request.headers.get('cache-control'))
  let failed = false
  if (!directives.includes('no-cache')) {
    const found = await cache.store.get(key)
    const answer = found.ok ? answerOf(found.value, draft, 'stream' in asked && asked.stream) : undefined
    if (answer !== undefined) return { answer }
    failed = !found.ok
  }
  return { failed, ...(!directives.includes('no-store') && { keeper: writerFor(key, draft, cache) }) }
}

/** What the cache may have a response to. */
export type CacheableRequest = GenerateRequest | EmbedRequest | RerankRequest | ModerateRequest

function keyFunctionOf(asked: CacheableRequest): 'keyOf' | 'embedKeyOf' | 'singleKeyOf' {
  if (!('inputs' in asked)) return 'keyOf'
  return 'encoding' in asked ? 'embedKeyOf' : 'singleKeyOf'
}

function keyOfRequest(
  asked: CacheableRequest,
  principal: Principal,
  draft: Draft,
  cache: ResponseCache<GuardedCacheStore>,
): ReturnType<ResponseCache['keyOf']> {
  if (!('inputs' in asked)) return cache.keyOf(asked.chat(), principal, draft)
  return 'encoding' in asked
    ? cache.embedKeyOf?.(asked, principal, draft)
    : cache.singleKeyOf?.(asked, principal, draft)
}

/** The headers that a request brings to a vendor of its dialect change the answer as its body does. */
async function withHeaders(key: CacheKey, asked: CacheableRequest): Promise<CacheKey> {
  const headers = 'inputs' in asked ? undefined : asked.native?.()?.headers
  if (headers === undefined || Object.keys(headers).length === 0) return key
  return { ...key, name: `${key.name}:${await digestOf(headers)}` }
}

/** What hooks put back into a response may be in the body that the caller sent, and in no other. */
async function withHooks(key: CacheKey, { unhooked, responseHooks }: Draft): Promise<CacheKey> {
  if (unhooked === undefined && responseHooks === undefined) return key
  return { ...key, name: `${key.name}:${await digestOf(responseHooks ?? [], unhooked ?? null)}` }
}

function isAnswerKey(value: unknown): value is CacheKey {
  if (typeof value !== 'object' || value === null) return false
  const { owner, name } = value as Partial<Record<keyof CacheKey, unknown>>
  return typeof owner === 'string' && owner !== '' && typeof name === 'string' && name !== ''
}

function answerOf(text: string | undefined, { dialect }: Draft, stream: boolean): CachedResponse | undefined {
  if (text === undefined) return undefined
  const stored = parsedText(text)
  const answer = toCachedResponse(stored)
  // The key of a custom cache may ignore `stream` and the dialect.
  return answer?.stream === stream && dialectOf(stored) === dialect ? answer : undefined
}

/** Returns the dialect of a stored response. Those without one are older than other dialects. */
function dialectOf(stored: unknown): unknown {
  return memberOf(stored as { readonly dialect?: unknown }, 'dialect') ?? 'chat'
}

function writerFor(
  key: CacheKey,
  { dialect }: Draft,
  { store, ttlMs, maxBytes }: ResponseCache<GuardedCacheStore>,
): CacheWriter {
  return {
    maxBytes,
    async completed(answer) {
      if (answer !== undefined) await store.set(key, JSON.stringify({ ...answer, dialect }), { ttlMs })
    },
    failed() {},
  }
}

function directivesOf(header: string | null): readonly string[] {
  return header === null ? [] : header.split(',').map(directive => directive.trim().toLowerCase())
}
