import { type Idempotency, replayOwner } from '../caching/idempotency.ts'
import type { ResponseCache } from '../caching/response-cache.ts'
import type { BodyLogRepository } from '../contracts/body-log.ts'
import type { CacheStore } from '../contracts/cache-store.ts'
import type { KeyStore } from '../contracts/key-store.ts'
import type { Ledger } from '../contracts/ledger.ts'
import type { PrincipalId } from '../contracts/principal.ts'
import type { RequestLogRepository } from '../contracts/request-log.ts'
import type { ResponseStore } from '../contracts/response-store.ts'
import { memberOf, membersOf } from '../primitives/own-members.ts'
import { sharedStore } from '../stores/process-stores.ts'
import { ownerOf } from './response-state.ts'

/** Where something of a principal may be stored: the same instances that the gateway has. */
export interface PrincipalStores {
  /** Issued keys. The key with the id of the principal is deleted if `keySource` is its source. */
  readonly keys?: KeyStore | undefined
  /** The source of principals with issued keys: the `source` of `apiKeys`. Default `api_keys`. */
  readonly keySource?: string | undefined
  readonly ledger?: Ledger | undefined
  readonly cache?: ResponseCache | undefined
  readonly idempotency?: Idempotency | undefined
  readonly responses?: ResponseStore | undefined
  /** The request log: that of `createRequestLog`, or its repository. */
  readonly log?: Pick<RequestLogRepository, 'deletePrincipal'> | undefined
  /** Bodies of requests: those of `createBodyLog`, or its repository. */
  readonly bodies?: Pick<BodyLogRepository, 'deletePrincipal'> | undefined
}

/** What `deletePrincipal` deleted. */
export interface PrincipalDeletion {
  /** Number of issued keys: 0 or 1. */
  readonly keys: number
  /** Number of records in the ledger. */
  readonly records: number
  /** Number of cached responses. */
  readonly cachedResponses: number
  /** Number of idempotency keys. */
  readonly idempotencyKeys: number
  /** Number of entries in the store of responses. */
  readonly responses: number
  /** Number of rows in the request log. */
  readonly loggedRequests: number
  /** Number of requests whose bodies were stored. */
  readonly bodies: number
  /**
   * The given stores in which nothing could be deleted: those of your own without a method for it, and a cache whose
   * responses are shared by a group. What they have of the principal is still there.
   */
  readonly unreached: readonly DeletionPart[]
}

/** A part of what a gateway stores of a principal. */
export type DeletionPart = 'keys' | 'ledger' | 'cache' | 'idempotency' | 'responses' | 'log' | 'bodies'

const parts: readonly DeletionPart[] = [
  'keys',
  'ledger',
  'cache',
  'idempotency',
  'responses',
  'log',
  'bodies',
]

/**
 * Deletes what is stored of a principal: its issued key, its records in the ledger, its rows in the request log, the bodies of its requests, its cached
 * responses, its idempotency keys and the responses that its requests can continue, in the given stores. The key is deleted first.
 * Requests in flight still end: call it again afterwards. Counters of limits, which hold no more than the id, expire by
 * themselves.
 *
 * Rejects with `AggregateError` if stores fail, after all others are done: call it again. Rejects with `TypeError` for an
 * invalid principal.
 */
export async function deletePrincipal(
  principal: PrincipalId,
  stores: PrincipalStores,
): Promise<PrincipalDeletion> {
  const known = principalId(principal)
  const given = membersOf(
    stores,
    'keys',
    'keySource',
    'ledger',
    'cache',
    'idempotency',
    'responses',
    'log',
    'bodies',
  )
  const { keys, keySource = 'api_keys', ledger, cache, idempotency, responses, log, bodies } = given
  const unreached = new Set<DeletionPart>()
  const errors = new Map<DeletionPart, unknown>()
  const count = async (part: DeletionPart, run: () => unknown): Promise<number> => {
    try {
      const deleted = await run()
      if (typeof deleted === 'number') return deleted
      unreached.add(part)
    } catch (error) {
      errors.set(part, error)
    }
    return 0
  }
  // First, so that no further request begins with it.
  const deletedKeys =
    keys === undefined || known.source !== keySource
      ? 0
      : await count('keys', async () => ((await keys.delete(known.id)) ? 1 : 0))
  const [records, cachedResponses, idempotencyKeys, stored, loggedRequests, deletedBodies] =
    await Promise.all([
      ledger === undefined ? 0 : count('ledger', () => ledger.deletePrincipal?.(known)),
      cache === undefined
        ? 0
        : count('cache', () => deleteOwned(sharedStore(cache.store), cache.ownerOf?.(known))),
      idempotency === undefined
        ? 0
        : count('idempotency', () => deleteOwned(sharedStore(idempotency.store), replayOwner(known))),
      responses === undefined
        ? 0
        : count('responses', () => sharedStore(responses).deleteOwner?.(ownerOf(known))),
      log === undefined ? 0 : count('log', () => log.deletePrincipal(known)),
      bodies === undefined ? 0 : count('bodies', () => bodies.deletePrincipal(known)),
    ])
  if (errors.size > 0) {
    const failed = parts.filter(part => errors.has(part))
    throw new AggregateError(
      failed.map(part => errors.get(part)),
      `deletePrincipal: ${failed.join(', ')} failed. Everything else is deleted. Call it again.`,
    )
  }
  const inOrder = parts.filter(part => unreached.has(part))
  return {
    keys: deletedKeys,
    records,
    cachedResponses,
    idempotencyKeys,
    responses: stored,
    loggedRequests,
    bodies: deletedBodies,
    unreached: inOrder,
  }
}

function deleteOwned(store: CacheStore, owner: string | undefined): unknown {
  return owner === undefined ? undefined : store.deleteOwner?.(owner)
}

/** Throws `TypeError` for an invalid principal: a missing source, or one with a space, must not select another one. */
function principalId(given: PrincipalId): PrincipalId {
  const id: unknown = given?.id
  const source: unknown = typeof given === 'object' && given !== null ? memberOf(given, 'source') : undefined
  if (typeof id !== 'string' || id === '') {
    throw new TypeError(`deletePrincipal: got the id ${typeof id}, expected a string that is not empty.`)
  }
  if (source === undefined) return { id }
  // Older versions stored sources with control characters: they can be deleted.
  if (typeof source === 'string' && /^\S+$/.test(source)) return { id, source }
  throw new TypeError(
    `deletePrincipal: got the source ${JSON.stringify(source)}, expected a string without spaces that is not empty, or none.`,
  )
}
