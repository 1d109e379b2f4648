/**
 * `@sluice/node/adapter`: for writing an adapter for another host. What is here may change in minor versions.
 */
export type { AnswerBody, ResponseParts } from './answer.ts'
export { answerOf, areAscii, leave, legalHeaders } from './answer.ts'
export type { DispatchOptions } from './ask.ts'
export { dispatch } from './ask.ts'
export { expectGateway } from './expect-gateway.ts'
export type { ReadBody } from './host-body.ts'
export { deliver } from './listener.ts'
export { protocolError } from './protocol-error.ts'
export { drainBody, leavesBodyUnread } from './unread-body.ts'
export { originForm } from './url.ts'
export { cutOffAfter, defaultWriteStallMs } from './write-stall.ts'
