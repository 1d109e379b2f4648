/**
 * `@sluice/node/adapter`: for writing an adapter for another host. What is here may change in minor versions.
 */

export { bodyParserResponse } from './body-parser-error.ts'
export { workerCount } from './cluster/serve-workers.ts'
export { processTopics } from './cluster/worker-group.ts'
export { WorkerMember } from './cluster/worker-member.ts'
export { WorkerPool, type WorkerPoolOptions } from './cluster/worker-pool.ts'
export type { StopRequest } from './cluster/worker-process.ts'
export type { Dispatch, DispatchOptions } from './dispatch.ts'
export { createDispatch } from './dispatch.ts'
export { expectGateway } from './expect-gateway.ts'
export type { ReadBody } from './host-body.ts'
export { isPublicAddress } from './image-fetcher/public-address.ts'
export { deliver } from './listener.ts'
export { mountPath } from './mount-path.ts'
export { protocolError } from './protocol-error.ts'
export type { ResponseBody, ResponseParts } from './response-parts.ts'
export { areAscii, closeIterator, legalHeaders, responseParts } from './response-parts.ts'
export { drainBody, leavesBodyUnread } from './unread-body.ts'
export { originForm } from './url.ts'
export { cutOffAfter, defaultWriteStallMs } from './write-stall.ts'
