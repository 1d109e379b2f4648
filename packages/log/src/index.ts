export {
  type CreateRequestLogOptions,
  createRequestLog,
  type RequestLog,
  type RequestLogPage,
} from './create-request-log.ts'
export type { RequestLogFormat } from './export-rows.ts'
export type { RequestLogLoss, RequestLogLossReason, RequestLogStats } from './request-log-writer.ts'
export type { RequestLogRetention } from './retention.ts'
export type { RequestLogQuery } from './validate-query.ts'
