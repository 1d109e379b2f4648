export { alertStoreConformance } from './conformance/alert-store.ts'
export { bodyLogConformance } from './conformance/body-log.ts'
export {
  type CacheStoreCase,
  type CacheStoreSettings,
  cacheStoreConformance,
} from './conformance/cache-store.ts'
export type { ConformanceCase } from './conformance/conformance-case.ts'
export { type HookCase, type HookSamples, hookConformance } from './conformance/hook.ts'
export { keyStoreConformance } from './conformance/key-store.ts'
export { ledgerConformance } from './conformance/ledger.ts'
export type { LimitStoreCase, MakeLimitStore } from './conformance/limit-store/limit-store-case.ts'
export { limitStoreConformance } from './conformance/limit-store.ts'
export type { ProviderCase } from './conformance/provider/provider-case.ts'
export type {
  CompletionSample,
  ErrorSample,
  ExpectedAnswer,
  ExpectedChoice,
  ExpectedToolCall,
  ProviderSamples,
  StreamSample,
} from './conformance/provider/provider-samples.ts'
export { providerConformance } from './conformance/provider.ts'
export { requestLogConformance } from './conformance/request-log.ts'
export {
  type ResponseStoreCase,
  type ResponseStoreSettings,
  responseStoreConformance,
} from './conformance/response-store.ts'
