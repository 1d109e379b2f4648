export type { LogFields, Logger } from './request-log/logger.ts'
export type { RequestLogOptions } from './request-log.ts'
export { requestLog } from './request-log.ts'
