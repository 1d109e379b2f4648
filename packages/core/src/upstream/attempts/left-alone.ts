import { GatewayError } from '../../errors.ts'
import type { Target } from '../../provider.ts'
import type { SkipReason } from '../../trace.ts'
import type { Blocked } from '../health/target-health.ts'

/** Why a place is not asked that health says must not be. */
export function skippedFor({ state, waitMs }: Blocked): SkipReason {
  return { why: state === 'cooling' ? 'cooling' : 'open', waitMs }
}

/** The 503 where every place is left alone. `soonestMs`: how long until the first of them may be asked. */
export function allLeftAlone(soonestMs: number): GatewayError {
  const ms = Math.round(Math.min(Math.max(soonestMs, 1_000), 60_000))
  return new GatewayError('overloaded', {
    headers: { 'retry-after': String(Math.ceil(ms / 1_000)), 'retry-after-ms': String(ms) },
  })
}

/** The places that a request came to and that were left alone, while none was asked: one may still be, as the last resort. */
export class LeftAlone {
  #places: (readonly [Target, Blocked])[] = []

  get size(): number {
    return this.#places.length
  }

  /** How long until the first of them may be asked. */
  get soonestMs(): number {
    return Math.min(...this.#places.map(([, { waitMs }]) => waitMs))
  }

  add(target: Target, blocked: Blocked): void {
    this.#places.push([target, blocked])
  }

  /** They are looked at once more. */
  clear(): void {
    this.#places = []
  }

  /** That is what became of them. */
  tell(skipped: (target: Target, why: SkipReason) => void): void {
    for (const [target, blocked] of this.#places) skipped(target, skippedFor(blocked))
    this.clear()
  }
}
