export type * from './api.ts'
export type { ConsoleGateway } from './console-gateway.ts'
export type { ConsoleOptions } from './console-options.ts'
export { type Console, createConsole } from './create-console.ts'
