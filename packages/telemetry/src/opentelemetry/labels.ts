import type { Attributes } from '@opentelemetry/api'
import type { Principal } from '@sluice/core'
import { other, ownAttributes, providerName } from './names.ts'

/**
 * Attributes of metrics, of which each has a bounded number of values. Models and targets that the route lists do not count: a
 * caller who makes up names can never turn one of those into `_OTHER`.
 */
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

  /** `unlisted`: whether the route does not list the model. `adds`: whether a name that is new may be added then. */
  model(name: string, unlisted: boolean, adds = true): string {
    return unlisted ? this.#models.of(name, adds) : name.slice(0, maxNameLength)
  }

  /** Returns the conventions' name. `unlisted`: whether the route does not list the target. */
  provider(name: string, unlisted: boolean): string {
    return providerName(unlisted ? this.#providers.of(name) : name.slice(0, maxNameLength))
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

  /** `adds`: whether a name that is new may be added. */
  of(name: string, adds = true): string {
    const short = name.slice(0, maxNameLength)
    if (this.#known.has(short)) return short
    if (!adds || this.#known.size >= this.#max) return other
    this.#known.add(short)
    return short
  }
}
