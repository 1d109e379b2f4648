import type { Principal } from './principal.ts'

/** Returns whether a principal may use a model. `false` becomes a 403. */
export type Authorizer = (principal: Principal, model: string) => boolean | Promise<boolean>
