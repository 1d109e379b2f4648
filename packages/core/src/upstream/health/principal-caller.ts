import type { Principal } from '../../contracts/principal.ts'
import type { Caller } from '../../contracts/target-health.ts'
import { principalKey } from '../../primitives/principal-key.ts'
import { sha256Hex } from '../../primitives/sha256.ts'

/** Hexadecimal digits. 64 bits distinguish the principals of a target without naming them. */
const digestLength = 16

/** A principal as the health of targets knows it: by a digest, which is computed when it is first read. */
export class PrincipalCaller implements Caller {
  readonly #principal: Principal
  #digest: string | undefined

  constructor(principal: Principal) {
    this.#principal = principal
  }

  get digest(): string {
    this.#digest ??= sha256Hex(principalKey(this.#principal)).slice(0, digestLength)
    return this.#digest
  }
}

/** Returns the caller of a request whose principal may be unknown. */
export function callerOf(principal: Principal | undefined): Caller {
  return principal === undefined ? noCaller : new PrincipalCaller(principal)
}

/** The caller of requests without a principal. */
export const noCaller: Caller = { digest: '-' }
