import type { Principal } from './principal.ts'

/** Says whether a principal may use a model. */
export type Authorizer = (principal: Principal, model: string) => boolean | Promise<boolean>
