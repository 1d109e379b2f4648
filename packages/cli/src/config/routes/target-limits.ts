import { type Limiter, type LimitRuleData, limits } from '@sluice/core'

/**
 * The limits of the targets of a configuration. They are compiled before it is known where they are counted: by default in this
 * process.
 */
export class TargetLimits {
  readonly #limiters = new Map<string, BoundLimiter>()

  /** Returns the limiter of an entry: the same one each time, as an entry with a `*` is compiled for each request. */
  of(path: string, rules: readonly LimitRuleData[]): Limiter {
    const known = this.#limiters.get(path)
    if (known !== undefined) return known
    const limiter = new BoundLimiter(rules)
    this.#limiters.set(path, limiter)
    return limiter
  }

  /** Counts with the limiters that `make` returns. */
  bind(make: (rules: readonly LimitRuleData[]) => Limiter): void {
    for (const limiter of this.#limiters.values()) limiter.bind(make)
  }
}

class BoundLimiter implements Limiter {
  readonly #rules: readonly LimitRuleData[]
  #limiter: Limiter

  constructor(rules: readonly LimitRuleData[]) {
    this.#rules = rules
    this.#limiter = limits(rules)
  }

  bind(make: (rules: readonly LimitRuleData[]) => Limiter): void {
    this.#limiter = make(this.#rules)
  }

  get maxWaitMs(): number {
    return this.#limiter.maxWaitMs ?? 0
  }

  admit(...given: Parameters<Limiter['admit']>): ReturnType<Limiter['admit']> {
    return this.#limiter.admit(...given)
  }
}
