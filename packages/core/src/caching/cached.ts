import type { AnswerKey, AnswerStore, WatchedAnswers } from '../contracts/answer-store.ts'
import type { Principal } from '../contracts/principal.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import type { AnswerKeeper } from './answer-capture.ts'
import { type KeptAnswer, keptAnswerOf } from './kept-answer.ts'
import { parsedText } from './parsed-text.ts'

/** Says which requests have the same answer: `responseCache({...})`. */
export interface ResponseCache<Store = AnswerStore> {
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
  keyOf(input: ChatRequest, principal: Principal): AnswerKey | undefined | Promise<AnswerKey | undefined>
}

/** What is kept of a request that may be cached, or where its answer is to be kept. */
export interface Cached {
  readonly answer?: KeptAnswer
  readonly keeper?: AnswerKeeper
}

/**
 * Was it answered before, to the same? Gives `undefined` for a request that is not cached. A store that fails is as
 * one that has nothing. `cache-control` of the request is heard: `no-cache` asks anew, `no-store` keeps nothing.
 *
 * Throws `TypeError` for what is no key: nothing is shared by mistake.
 */
export async function recallCached(
  request: Request,
  input: ChatRequest,
  principal: Principal,
  cache: ResponseCache<WatchedAnswers>,
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

function isAnswerKey(value: unknown): value is AnswerKey {
  if (typeof value !== 'object' || value === null) return false
  const { owner, name } = value as Partial<Record<keyof AnswerKey, unknown>>
  return typeof owner === 'string' && owner !== '' && typeof name === 'string' && name !== ''
}

async function lookUp(
  key: AnswerKey,
  input: ChatRequest,
  store: WatchedAnswers,
): Promise<KeptAnswer | undefined> {
  const found = await store.get(key)
  if (!found.ok || found.value === undefined) return undefined
  const answer = keptAnswerOf(parsedText(found.value))
  // A key of the user's making may forget the form.
  return answer?.stream === (input.stream === true) ? answer : undefined
}

function keeperOf(key: AnswerKey, { store, ttlMs, maxBytes }: ResponseCache<WatchedAnswers>): AnswerKeeper {
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
