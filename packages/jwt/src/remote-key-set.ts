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
/** A set that could not be read is tried again at most once in this time. */
const failedMs = 1_000

/**
 * Keys that their issuer publishes. They are read when they are needed, once for all who wait, and again when they
 * are old or a token names a key that is not among them. Where they cannot be read, those that are known go on being
 * used; for a key of which nothing is known it rejects with `GatewayError` `authentication_unavailable`.
 */
export function remoteKeySet(options: RemoteKeySetOptions): FindKey {
  const { read, cacheMs, staleMs, now, observe } = options
  let set: LocalJWKSet | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  let failing = false
  let loading: Promise<void> | undefined

  const isWithin = (since: number, ms: number) => now() - since >= 0 && now() - since < ms
  const tell = (fails: boolean, error?: unknown) => {
    failure = error
    if (fails === failing) return
    failing = fails
    observe({ type: 'store', store: 'keys', state: fails ? 'failing' : 'working', error })
  }
  const load = async () => {
    const askedAt = now()
    try {
      set = await read()
      readAt = askedAt
      tell(false)
    } catch (error) {
      tell(true, error)
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
  return async header => {
    if (!isWithin(readAt, cacheMs)) {
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
    await refresh()
    if (failing) throw unavailable()
    return keyOf(set, header)
  }
}
