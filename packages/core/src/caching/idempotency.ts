import type { CacheStore } from '../contracts/cache-store.ts'
import type { Draft } from '../contracts/draft.ts'
import type { Principal } from '../contracts/principal.ts'
import { GatewayError } from '../errors/errors.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { digestOf } from '../primitives/sha256.ts'
import { aStore, checkOptions, defaultMaxBytes, milliseconds, wholeBytes } from './cache-options.ts'
import { type CachedResponse, type CacheWriter, keptAnswerOf, parsedText } from './cached-response.ts'
import type { HeldKey, InFlightKeys } from './in-flight-keys.ts'
import { memoryCacheStore } from './memory-cache-store.ts'

export interface IdempotencyOptions {
  /** Where answers are kept. Default: `memoryAnswers()`, in this process. */
  readonly store?: CacheStore
  /** How long an answer is kept, in milliseconds. Default 86,400,000 (24 hours). */
  readonly ttlMs?: number
  /** How many bytes the text of an answer may have; of a larger one only its id is kept. Default 1,048,576 (1 MiB). */
  readonly maxBytes?: number
  /**
   * While the store does not answer: `closed` (default) refuses requests with a key by 503, `open` answers them as
   * without one.
   */
  readonly onStoreFailure?: 'closed' | 'open'
}

/**
 * Answers a request with an `Idempotency-Key` once: the same one with the same key gets the same answer, for as long as
 * it is kept. Throws `TypeError` naming every option that it cannot use.
 */
export function idempotency(given: IdempotencyOptions = {}): Idempotency {
  const options = ownMembers(given)
  const { ttlMs = 86_400_000, maxBytes = defaultMaxBytes, onStoreFailure = 'closed' } = options
  checkOptions('idempotency', { ...options, ttlMs }, checks)
  return { store: options.store ?? memoryCacheStore(), ttlMs, maxBytes, onStoreFailure }
}

const checks = {
  store: aStore,
  ttlMs: milliseconds,
  maxBytes: wholeBytes,
  onStoreFailure: (value: unknown) =>
    value === 'closed' || value === 'open' ? undefined : "'closed' or 'open'",
}

/** How requests with an `Idempotency-Key` are repeated: `idempotency({...})`. */
export interface Idempotency {
  readonly store: CacheStore
  /** How long an answer is kept, in milliseconds. */
  readonly ttlMs: number
  /** How many bytes the text of an answer may have. */
  readonly maxBytes: number
  /** While the store does not answer: `closed` refuses with 503, `open` goes on as without a key. */
  readonly onStoreFailure: 'closed' | 'open'
}

/** Idempotency over the keys of what runs. */
export interface RunningIdempotency extends Omit<Idempotency, 'store'> {
  readonly keys: InFlightKeys
}

/** The answer that a request had when it came for the first time, or where its answer is to be kept. */
type Repeated =
  | { readonly answer: CachedResponse; readonly keeper?: undefined }
  | { readonly answer?: undefined; readonly keeper: CacheWriter }

/**
 * Is it a repeat? Gives `undefined` for a request without a key, and where the store fails and is done without. Keys of
 * two principals are two keys.
 *
 * Throws 400 for what is no key, 409 while the first request runs and where its answer was not kept, 422 where it had
 * another body, 503 where the store fails, or has no room for one more request in flight.
 */
export async function lookUpReplay(
  request: Request,
  draft: Draft,
  principal: Principal,
  requestId: string,
  idempotency: RunningIdempotency,
): Promise<Repeated | undefined> {
  const given = request.headers.get('idempotency-key')
  if (given === null) return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(given)) throw noKey(given)
  const { keys, onStoreFailure } = idempotency
  const state: KeyState = { requestId, fingerprint: await digestOf(draft.body), answer: 'running' }
  const owner = principalKey(principal)
  const key = { owner: `repeat ${owner}`, name: `repeat:${await digestOf(owner, given)}` }
  const held = await keys.hold(key, keyStateText(state))
  const found = held.ok ? held.value : undefined
  // Whatever is done while the store fails: this one works, and to go on would be without protection.
  if (found === 'full') throw new GatewayError('idempotency_full')
  if (found !== undefined && 'end' in found) return { keeper: keeperOf(state, found, idempotency) }
  const kept = found && keyStateOf(found.existing)
  if (kept !== undefined) return { answer: answerOf(kept, state) }
  if (onStoreFailure === 'open') return undefined
  const cause = held.ok ? new Error('What is kept under an idempotency key is no state of it.') : held.error
  throw new GatewayError('idempotency_unavailable', { cause })
}

function answerOf({ fingerprint, requestId, answer }: KeyState, asked: KeyState): CachedResponse {
  if (fingerprint !== asked.fingerprint) throw new GatewayError('idempotency_key_reused')
  if (answer === 'running') throw new GatewayError('idempotency_in_progress')
  if (answer !== 'gone') return answer
  throw new GatewayError('already_processed', {
    message: `The request with this idempotency key has been answered as ${requestId}, and its answer was too large to be kept. To ask anew, use another key.`,
  })
}

function keeperOf(state: KeyState, held: HeldKey, { ttlMs, maxBytes }: RunningIdempotency): CacheWriter {
  return {
    maxBytes,
    completed: answer => held.end(keyStateText({ ...state, answer: answer ?? 'gone' }), ttlMs),
    failed: () => held.end(undefined, ttlMs),
  }
}

function noKey(given: string): GatewayError {
  const length = given === '' || given.length > 255
  return new GatewayError('invalid_value', {
    message: `Invalid value for the header 'idempotency-key': expected 1 to 255 visible ASCII characters, but got ${given.length} ${length ? 'characters' : 'with others among them'} instead.`,
  })
}

/** What is kept under an idempotency key. */
interface KeyState {
  /** Of the request that came with the key. */
  readonly requestId: string
  /** The digest of its body. */
  readonly fingerprint: string
  /** `running`: it has not been answered yet. `gone`: it was, and the answer is too large to be kept. */
  readonly answer: CachedResponse | 'running' | 'gone'
}

function keyStateText(state: KeyState): string {
  return JSON.stringify(state)
}

/** What a store's text says; `undefined` for what is no such state. */
function keyStateOf(text: unknown): KeyState | undefined {
  const value = parsedText(text)
  if (typeof value !== 'object' || value === null) return undefined
  const { requestId, fingerprint, answer } = value as Partial<Record<keyof KeyState, unknown>>
  if (typeof requestId !== 'string' || typeof fingerprint !== 'string') return undefined
  const known = answer === 'running' || answer === 'gone' ? answer : keptAnswerOf(answer)
  return known && { requestId, fingerprint, answer: known }
}
