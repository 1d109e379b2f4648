/**
 * API keys: authentication, issued keys and their storage.
 */

export { type ApiKey, type ApiKeySource, apiKeys } from './auth/api-keys.ts'
export type { ApiKeysOptions } from './auth/api-keys-options.ts'
export { bearerToken } from './auth/authenticate.ts'
export { modelPatterns } from './auth/authorize.ts'
export { changedPrincipal } from './auth/changed-principal.ts'
export { firstOf } from './auth/first-of.ts'
export { isIssuedKey } from './auth/issued-key.ts'
export { type KeyStoreOptions, keyStore } from './auth/issued-keys.ts'
export { hashApiKey, type Pepper } from './auth/key-digest.ts'
export type { Authenticator } from './contracts/authenticator.ts'
export type { Authorizer } from './contracts/authorizer.ts'
export type {
  ApiKeyLookup,
  ApiKeyRecord,
  IssuedKey,
  KeyChanges,
  KeyRepository,
  KeySecret,
  KeySpec,
  KeyStore,
  StoredKey,
} from './contracts/key-store.ts'
export type { Principal, PrincipalId } from './contracts/principal.ts'
export { type AuthFailure, type AuthFailureReason, authFailureReasons } from './errors/auth-failure.ts'
export {
  type DeletionPart,
  deletePrincipal,
  type PrincipalDeletion,
  type PrincipalStores,
} from './gateway/delete-principal.ts'
