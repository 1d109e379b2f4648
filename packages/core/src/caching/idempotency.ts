import type { CacheStore } from '../contracts/cache-store.ts'
import type { Draft } from '../contracts/draft.ts'
import type { Principal, PrincipalId } from '../contracts/principal.ts'
import { GatewayError } from '../errors/errors.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { digestOf } from '../primitives/sha256.ts'
import { aStoreTimeout } from '../stores/store-timeout.ts'
import { aStore, checkOptions, defaultMaxBytes, milliseconds, wholeBytes } from './cache-options.ts'
import { type CachedResponse, type CacheWriter, parsedText, toCachedResponse } from './cached-response.ts'
import type { HeldKey, InFlightKeys } from './in-flight-keys.ts'
import { memoryCacheStore } from './memory-cache-store.ts'

/** Options of `idempotency`. */
export interface IdempotencyOptions {
  /** Stores responses. Default: `memoryCacheStore()`, in this process. */
  readonly store?: CacheStore | undefined
  /** How long a response is stored, in milliseconds. Default 86,400,000 (24 hours). */
  readonly ttlMs?: number | undefined
  /** Maximum size of a stored response in bytes. Of a larger one only its id is stored. Default 1,048,576 (1 MiB). */
  readonly maxBytes?: number | undefined
  /**
   * Timeout of a store operation, in milliseconds, from 1 to 60,000. An operation that takes longer has failed. Default:
   * `storeTimeoutMs` of the gateway, which is 50; of a store in memory that workers share, 500.
   */
  readonly storeTimeoutMs?: number | undefined
  /**
   * While the store fails: `closed` (default) rejects requests with an idempotency key with a 503, `open` handles them as if
   * they had none.
   */
  readonly onStoreFailure?: 'closed' | 'open' | undefined
}

/**
 * Executes requests with the same `Idempotency-Key` header only once. A repeated request gets the stored response of the first
 * one. Throws `ConfigurationError` that lists all invalid options.
 */
export function idempotency(given: IdempotencyOptions = {}): Idempotency {
  const options = ownMembers(given)
  const { ttlMs = 86_400_000, maxBytes = defaultMaxBytes, onStoreFailure = 'closed' } = options
  checkOptions('idempotency', { ...options, ttlMs }, checks)
  const { storeTimeoutMs } = options
  return {
    store: options.store ?? memoryCacheStore(),
    ttlMs,
    maxBytes,
    ...(storeTimeoutMs !== undefined && { storeTimeoutMs }),
    onStoreFailure,
  }
}

const checks = {
  store: aStore,
  ttlMs: milliseconds,
  maxBytes: wholeBytes,
  storeTimeoutMs: aStoreTimeout,
  onStoreFailure: (value: unknown) =>
    value === 'closed' || value === 'open' ? undefined : "'closed' or 'open'",
}

/** Settings of idempotency keys: the result of `idempotency({...})`. */
export interface Idempotency {
  readonly store: CacheStore
  /** How long a response is stored, in milliseconds. */
  readonly ttlMs: number
  /** Maximum size of a stored response in bytes. */
  readonly maxBytes: number
  /** Timeout of a store operation, in milliseconds. Default: as of `idempotency()`. */
  readonly storeTimeoutMs?: number
  /** While the store fails: `closed` rejects with a 503, `open` ignores the key. */
  readonly onStoreFailure: 'closed' | 'open'
}

/** Idempotency settings with the keys of requests in flight. */
export interface RunningIdempotency extends Omit<Idempotency, 'store' | 'storeTimeoutMs'> {
  readonly keys: InFlightKeys
}

/** The stored response of an earlier request, or the writer for that of a new one. */
type ReplayLookup =
  | { readonly answer: CachedResponse; readonly keeper?: undefined }
  | { readonly answer?: undefined; readonly keeper: CacheWriter }

/**
 * Looks up the idempotency key of a request. Returns `undefined` for a request without one, and while the store fails with
 * `onStoreFailure: 'open'`. Keys are separate per principal.
 *
 * Throws `GatewayError`: 400 for an invalid key; 409 while the first request is running, or if its response was too large to
 * store; 422 if it had another body or dialect; 503 if the store fails, or is full of requests in flight.
 */
export async function lookUpReplay(
  request: Request,
  draft: Draft,
  principal: Principal,
  requestId: string,
  idempotency: RunningIdempotency,
): Promise<ReplayLookup | undefined> {
  const given = request.headers.get('idempotency-key')
  if (given === null) return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(given)) throw invalidKey(given)
  const { keys, onStoreFailure } = idempotency
  const state: KeyState = { requestId, fingerprint: await fingerprintOf(draft), answer: 'running' }
  const name = `repeat:${await digestOf(principalKey(principal), given)}`
  const key = { owner: replayOwner(principal), name }
  const held = await keys.hold(key, keyStateText(state))
  const found = held.ok ? held.value : undefined
  // Also with `onStoreFailure: 'open'`: the store works, and going on would execute the request without protection.
  if (found === 'full') throw new GatewayError('idempotency_full')
  if (found !== undefined && 'end' in found) return { keeper: writerFor(state, found, idempotency) }
  const stored = found && keyStateOf(found.existing)
  if (stored !== undefined) return { answer: answerOf(stored, state) }
  if (onStoreFailure === 'open') return undefined
  const cause = held.ok ? new Error('The store has an invalid state for this idempotency key.') : held.error
  throw new GatewayError('idempotency_unavailable', { cause })
}

/** Returns the owner of a principal's idempotency keys in a cache store. */
export function replayOwner(principal: PrincipalId): string {
  return `repeat ${principalKey(principal)}`
}

/**
 * Returns a digest of what must be the same in a retried request. A body may be valid in several dialects, and its response is
 * written in one. Chat's digest has no dialect, as those that were stored before there were others.
 */
function fingerprintOf({ dialect, unhooked, body: changed }: Draft): Promise<string> {
  const body = unhooked ?? changed
  return dialect === 'chat' ? digestOf(body) : digestOf(dialect, body)
}

function answerOf({ fingerprint, requestId, answer }: KeyState, asked: KeyState): CachedResponse {
  if (fingerprint !== asked.fingerprint) throw new GatewayError('idempotency_key_reused')
  if (answer === 'running') throw new GatewayError('idempotency_in_progress')
  if (answer !== 'gone') return answer
  throw new GatewayError('already_processed', {
    message: `The request with this idempotency key was processed as ${requestId}, and its response was too large to store. To send it again, use another key.`,
  })
}

function writerFor(state: KeyState, held: HeldKey, { ttlMs, maxBytes }: RunningIdempotency): CacheWriter {
  return {
    maxBytes,
    completed: answer => held.end(keyStateText({ ...state, answer: answer ?? 'gone' }), ttlMs),
    failed: () => held.end(undefined, ttlMs),
  }
}

function invalidKey(given: string): GatewayError {
  const length = given === '' || given.length > 255
  return new GatewayError('invalid_value', {
    message: `Invalid value for the header 'idempotency-key': expected 1 to 255 visible ASCII characters, but got ${given.length} ${length ? 'characters' : 'with others among them'} instead.`,
  })
}

/** The stored state of an idempotency key. */
interface KeyState {
  /** The id of the first request with the key. */
  readonly requestId: string
  /** The digest of its body and dialect. */
  readonly fingerprint: string
  /** `running`: the response is not complete yet. `gone`: it is, but was too large to store. */
  readonly answer: CachedResponse | 'running' | 'gone'
}

function keyStateText(state: KeyState): string {
  return JSON.stringify(state)
}

/** Parses a stored state. Returns `undefined` if it is invalid. */
function keyStateOf(text: unknown): KeyState | undefined {
  const value = parsedText(text)
  if (typeof value !== 'object' || value === null) return undefined
  const { requestId, fingerprint, answer } = value as Partial<Record<keyof KeyState, unknown>>
  if (typeof requestId !== 'string' || typeof fingerprint !== 'string') return undefined
  const known = answer === 'running' || answer === 'gone' ? answer : toCachedResponse(answer)
  return known && { requestId, fingerprint, answer: known }
}
