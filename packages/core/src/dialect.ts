/**
 * For protocols of your own: the `Dialect` contract, and requests as turns. The contracts may gain optional members in minor
 * versions.
 */
export type * from './contracts/dialect.ts'
export type { Draft, RequestHeaders } from './contracts/draft.ts'
export type * from './contracts/embedding.ts'
export type * from './contracts/moderation.ts'
export type * from './contracts/outline.ts'
export type * from './contracts/rerank.ts'
export type * from './conversation/body-edit.ts'
export type * from './conversation/generate-request.ts'
export type * from './conversation/turns.ts'
export { TurnsGenerateRequest, type TurnsRequest } from './conversation/turns-generate-request.ts'
export type { ConversationLoss } from './conversation/turns-to-chat.ts'
export type * from './protocol/chat.ts'
export type { NamedFields } from './protocol/chat-fields.ts'
