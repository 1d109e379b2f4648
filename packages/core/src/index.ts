export type { GatewayOptions, IntakeLimits, StreamPacing, Timeouts } from './config.ts'
export type { ErrorBody, GatewayErrorDetails, Refusal } from './errors.ts'
export { GatewayError } from './errors.ts'
export type {
  AttemptFailedEvent,
  AttemptRecord,
  EndEvent,
  GatewayEvent,
  InternalErrorEvent,
  Observer,
  Outcome,
  WarningEvent,
} from './events.ts'
export { createGateway } from './gateway.ts'
export type { Answer, FetchContext, Gateway, HostBody } from './host.ts'
export type { ApiKey, ApiKeyLookup, ApiKeysOptions } from './policies/api-keys/api-keys.ts'
export { apiKeys } from './policies/api-keys/api-keys.ts'
export type { Pepper } from './policies/api-keys/key-digest.ts'
export { hashApiKey } from './policies/api-keys/key-digest.ts'
export type { ApiKeyRecord } from './policies/api-keys/key-record.ts'
export type { RequestLimitOptions, Window } from './policies/limits/requests.ts'
export { requests } from './policies/limits/requests.ts'
export { modelPatterns } from './policies/model-patterns.ts'
export type { ModelEntry, ModelTable } from './policies/models.ts'
export { models } from './policies/models.ts'
export type { CorsOptions } from './policies/with-cors.ts'
export { withCors } from './policies/with-cors.ts'
export type * from './protocol/chat.ts'
export type { JsonLimits } from './protocol/json.ts'
export type { SseDecodeOptions, SseEvent } from './protocol/sse.ts'
export { decodeSse } from './protocol/sse.ts'
export type * from './provider.ts'
export type { Authenticator, Principal } from './stages/authenticate.ts'
export { bearerToken } from './stages/authenticate.ts'
export type { Authorizer } from './stages/authorize.ts'
export type { Lease, Limiter } from './stages/limit.ts'
export type { Draft } from './stages/read.ts'
export type { ModelCard, Route, RouteContext } from './stages/route.ts'
export type { Transport, TransportResponse, UpstreamRequest, UpstreamResponse } from './transport.ts'
export { fetchTransport } from './transports/fetch.ts'
export type { UpstreamErrorDetails, UpstreamFailure } from './upstream-error.ts'
export { UpstreamError } from './upstream-error.ts'
