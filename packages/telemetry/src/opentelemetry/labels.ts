import type { Attributes } from '@opentelemetry/api'
import type { Principal } from '@sluice/core'
import { other, ownAttributes, providerName } from './names.ts'

/** Attributes of metrics, of which each has a bounded number of values. */
export class Labels {
  readonly #dialects = new BoundedNames()
  readonly #models = new BoundedNames()
  readonly #providers = new BoundedNames()
  readonly #tags: ReadonlyMap<string, BoundedNames>

  /** `tags`: the tags of principals that become attributes. */
  constructor(tags: readonly string[]) {
    this.#tags = new Map(tags.map(name => [name, new BoundedNames()]))
  }

  dialect(name: string): string {
    return this.#dialects.of(name)
  }

  model(name: string): string {
    return this.#models.of(name)
  }

  /** Returns the conventions' name. */
  provider(name: string): string {
    return providerName(this.#providers.of(name))
  }

  tags(principal: Principal | undefined): Attributes {
    const attributes: Attributes = {}
    const given = principal?.tags
    if (given === undefined) return attributes
    for (const [name, values] of this.#tags) {
      if (Object.hasOwn(given, name)) attributes[ownAttributes.tag(name)] = values.of(String(given[name]))
    }
    return attributes
  }
}

/** In characters. Longer names are cut. */
const maxNameLength = 200

/**
 * The values of one attribute of a metric, at most `max`. Each value is a time series that is never removed, so further
 * values become `_OTHER`.
 */
export class BoundedNames {
  readonly #known = new Set<string>()
  readonly #max: number

  constructor(max = 500) {
    this.#max = max
  }

  of(name: string): string {
    const short = name.slice(0, maxNameLength)
    if (this.#known.has(short)) return short
    if (this.#known.size >= this.#max) return other
    this.#known.add(short)
    return short
  }
}
