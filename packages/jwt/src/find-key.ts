import type { CryptoKey, JWSHeaderParameters } from 'jose'

/**
 * Finds the key that a token was signed with, by what its header says: nothing of that has been checked. Rejects with
 * an error of `jose` where there is none, and with `GatewayError` where that cannot be said.
 */
export type FindKey = (header: JWSHeaderParameters) => Promise<CryptoKey | Uint8Array>
