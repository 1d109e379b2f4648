export type { RequestLogLoss, RequestLogLossReason, RequestLogStats } from './batch-writer.ts'
export { BodyKeyError } from './body-cipher.ts'
export { type BodyLog, type CreateBodyLogOptions, createBodyLog } from './create-body-log.ts'
export {
  type CreateRequestLogOptions,
  createRequestLog,
  type RequestLog,
  type RequestLogPage,
} from './create-request-log.ts'
export type { RequestLogFormat } from './export-rows.ts'
export { ReplayError } from './replay-request.ts'
export type { RequestLogRetention } from './retention.ts'
export type { RequestLogQuery } from './validate-query.ts'
