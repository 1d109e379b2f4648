import type { CacheStore } from './cache-store.ts'

/**
 * Decides which of several processes sends an alert: the one whose `add` returns `added`. Every `CacheStore` is one; a `Database` has
 * one, whose texts are short and all `pinned`. `alertStoreConformance` of `@sluice/testing/conformance` tests it.
 */
export type AlertStore = Pick<CacheStore, 'add' | 'replace'>
