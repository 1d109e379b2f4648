export type * from './config/config.ts'
