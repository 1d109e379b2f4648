import type { ApiKeyLookup, ApiKeyRecord } from '../contracts/key-store.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { GatewayError } from '../errors/errors.ts'

import { recordIssue, type SoundRecord, soundRecord } from './key-record.ts'

/** What a store said: the record, `undefined` for an unknown key, or what is to be thrown in its stead. */
export type StoreAnswer =
  | { readonly kind: 'record'; readonly record: SoundRecord | undefined }
  | { readonly kind: 'thrown'; readonly thrown: unknown }

/**
 * Asks a store for a key by each of its digests, until it is found. Rejects where the store fails. A record with a
 * fault is an answer, and so is a refusal of the caller, a `GatewayError` below 500: the store did not fail.
 */
export async function askStore(lookup: ApiKeyLookup, digests: readonly string[]): Promise<StoreAnswer> {
  try {
    for (const digest of digests) {
      const found = (await lookup(digest)) ?? undefined
      if (found !== undefined) return answerOf(found)
    }
    return { kind: 'record', record: undefined }
  } catch (error) {
    if (GatewayError.is(error) && error.status < 500) return { kind: 'thrown', thrown: error }
    throw error
  }
}

function answerOf(found: ApiKeyRecord): StoreAnswer {
  const issue = recordIssue(found)
  if (issue !== undefined)
    return { kind: 'thrown', thrown: new ConfigurationError('apiKeys(): what the lookup found', [issue]) }
  return { kind: 'record', record: soundRecord(found) }
}
