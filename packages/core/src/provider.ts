/**
 * For packages that add a vendor: the `Provider` contract, streams and transports. The contracts may gain optional
 * members in minor versions.
 */
export type * from './contracts/embedding.ts'
export type * from './contracts/moderation.ts'
export type * from './contracts/provider.ts'
export type * from './contracts/rerank.ts'
export type {
  Transport,
  TransportResponse,
  UpstreamRequest,
  UpstreamResponse,
} from './contracts/transport.ts'
export type { BodyEdit } from './conversation/body-edit.ts'
export type {
  GenerateRequest,
  NativeBody,
  Settings,
  ThinkingSetting,
} from './conversation/generate-request.ts'
export { memberPath } from './conversation/member-path.ts'
export type * from './conversation/turns.ts'
export { turnsOf } from './conversation/turns-of.ts'
export type { ConversationLoss } from './conversation/turns-to-chat.ts'
export type { NativeError } from './errors/native-error.ts'
export { UpstreamError, type UpstreamErrorDetails, type UpstreamFailure } from './errors/upstream-error.ts'
export type * from './protocol/chat.ts'
export type { NamedFields } from './protocol/chat-fields.ts'
export type { ReceivedText } from './protocol/received-text.ts'
export { spliceJson } from './protocol/splice-json.ts'
export { spliceJsonBody } from './protocol/splice-json-body.ts'
export { decodeSse, type SseDecodeOptions, SseDecoder, type SseEvent } from './protocol/sse.ts'
export { fetchTransport } from './transports/fetch.ts'
export { foldChunks } from './usage/fold-chunks.ts'
export { requestExtensions } from './validation/accepting-targets.ts'
