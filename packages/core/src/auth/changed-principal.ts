import type { Principal } from '../contracts/principal.ts'
import { eventPrincipal } from './event-principal.ts'

/**
 * Returns a copy of a principal with other members. Members of an instance of a class may be getters, which a spread does not
 * copy: without its `models` it could use all.
 */
export function changedPrincipal(principal: Principal, changes: Partial<Principal>): Principal {
  return { ...principal, ...eventPrincipal(principal), ...changes }
}
