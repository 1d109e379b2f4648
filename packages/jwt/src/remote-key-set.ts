import { GatewayError, type Observer } from '@sluice/core'
import { errors, type JWSHeaderParameters, type LocalJWKSet } from 'jose'
import type { FindKey } from './find-key.ts'

export interface RemoteKeySetOptions {
  /** Reads the set from its address. Rejects where it cannot be read; in any case it ends. */
  readonly read: () => Promise<LocalJWKSet>
  /** How long a set that was read is not read again, in milliseconds. */
  readonly cacheMs: number
  /** How long a set is used beyond `cacheMs` where it cannot be read, in milliseconds. */
  readonly staleMs: number
  /** Steady milliseconds. */
  readonly now: () => number
  readonly observe: Observer
}

/** A key that is not there makes the set be read again at most once in this time. */
const unknownKeyMs = 10_000
/** So many keys that were looked for are remembered, from one reading to the next. */
const maxLookedFor = 500
/** A set that could not be read is tried again at most once in this time. */
const failedMs = 1_000

/**
 * Keys that their issuer publishes. They are read when they are needed, once for all who wait, and again when they
 * are old or a token names a key that is not among them. Where they cannot be read, those that are known go on being
 * used; for a key of which nothing is known it rejects with `GatewayError` `authentication_unavailable`.
 *
 * So it does for a key that is not in the set while the set may not be read again: anyone can use up a reading with a
 * token of their own making, and the issuer may have published the key since. A key that the last reading was to find,
 * among others, and did not, is one that does not exist; nor does one that the issuer took back.
 */
export function remoteKeySet(options: RemoteKeySetOptions): FindKey {
  const { read, cacheMs, staleMs, now, observe } = options
  let set: LocalJWKSet | undefined
  /** The set that was read before it. */
  let former: LocalJWKSet | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  let failing = false
  let loading: Promise<void> | undefined
  /** Keys that were not there when they were looked for: since the last reading, and in the time before it. */
  let lookedFor = new Set<string>()
  let missing: ReadonlySet<string> = new Set()

  const isWithin = (since: number, ms: number) => now() - since >= 0 && now() - since < ms
  const reportState = (fails: boolean, error?: unknown) => {
    failure = error
    if (fails === failing) return
    failing = fails
    observe({ type: 'store', store: 'keys', state: fails ? 'failing' : 'working', error })
  }
  const load = async () => {
    const startedAt = now()
    const wanted = lookedFor
    lookedFor = new Set()
    try {
      const fresh = await read()
      former = set
      set = fresh
      readAt = startedAt
      missing = wanted
      reportState(false)
    } catch (error) {
      lookedFor = wanted
      reportState(true, error)
    }
    triedAt = now()
  }
  /** Reads the set, unless that was tried a short while ago. Never rejects. */
  const refresh = () => {
    if (!isWithin(triedAt, failing ? failedMs : unknownKeyMs)) {
      loading ??= load().finally(() => {
        loading = undefined
      })
    }
    return loading
  }
  const retryLater = () => {
    const seconds = Math.max(1, Math.ceil((unknownKeyMs - (now() - triedAt)) / 1_000))
    return new GatewayError('authentication_unavailable', {
      headers: { 'retry-after': String(seconds) },
      cause: new Error(`The key set is read again in ${seconds} s: it may have the key by then.`),
    })
  }
  const unavailable = () => new GatewayError('authentication_unavailable', { cause: failure })
  const keyOf = async (known: LocalJWKSet, header: JWSHeaderParameters) => {
    try {
      return await known(header)
    } catch (error) {
      const answered =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys
      // A key that is there and cannot be used.
      throw answered ? error : new GatewayError('authentication_unavailable', { cause: error })
    }
  }
  /** Whether the issuer took a key back that it had published. */
  const isRetired = async (header: JWSHeaderParameters) =>
    former !== undefined &&
    (await former(header).then(
      () => true,
      error => error instanceof errors.JWKSMultipleMatchingKeys,
    ))
  return async header => {
    const name = `${header.alg} ${header.kid ?? ''}`
    const lookFor = () => {
      if (lookedFor.size >= maxLookedFor) lookedFor.delete(lookedFor.values().next().value!)
      lookedFor.add(name)
    }
    if (!isWithin(readAt, cacheMs)) {
      lookFor()
      const reading = refresh()
      // Nobody waits for a server that is known to fail, as long as there are keys.
      if (set === undefined || !failing) await reading
    }
    if (set === undefined || !isWithin(readAt, cacheMs + staleMs)) throw unavailable()
    try {
      return await keyOf(set, header)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
    }
    lookFor()
    await refresh()
    if (failing) throw unavailable()
    try {
      return await keyOf(set, header)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      throw missing.has(name) || (await isRetired(header)) ? error : retryLater()
    }
  }
}
