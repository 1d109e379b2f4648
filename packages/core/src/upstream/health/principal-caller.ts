import type { Principal } from '../../contracts/principal.ts'
import type { Caller } from '../../contracts/target-health.ts'
import { principalKey } from '../../primitives/principal-key.ts'
import { sha256Hex } from '../../primitives/sha256.ts'

/** Hexadecimal digits. 64 bits tell the principals of one target apart, and name nobody. */
const digestLength = 16

/** A principal as the health of targets knows it: by a digest, which is made when it is first read. */
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

/** The caller of a request whose principal may not be known. */
export function callerOf(principal: Principal | undefined): Caller {
  return principal === undefined ? noCaller : new PrincipalCaller(principal)
}

/** The caller of what has no principal. */
export const noCaller: Caller = { digest: '-' }
