import type { Attributes } from '@opentelemetry/api'
import type { Principal } from '@sluice/core'
import { other, ownAttributes, providerName } from './names.ts'

/** Attributes of metrics, of which each has a bounded number of values. */
export class Labels {
  readonly #models = new BoundedNames()
  readonly #providers = new BoundedNames()
  readonly #tags: ReadonlyMap<string, BoundedNames>

  /** `tags` are the names of the principals' tags that are told. */
  constructor(tags: readonly string[]) {
    this.#tags = new Map(tags.map(name => [name, new BoundedNames()]))
  }

  model(name: string): string {
    return this.#models.of(name)
  }

  /** By the conventions' name. */
  provider(name: string): string {
    return providerName(this.#providers.of(name))
  }

  tags(principal: Principal | undefined): Attributes {
    const told: Attributes = {}
    const given = principal?.tags
    if (given === undefined) return told
    for (const [name, values] of this.#tags) {
      if (Object.hasOwn(given, name)) told[ownAttributes.tag(name)] = values.of(String(given[name]))
    }
    return told
  }
}

/** Longer names tell no more, and cost. In characters. */
const longest = 200

/**
 * Values of one attribute of a metric. Each new value is a series of its own, which is kept for ever, so there are only
 * so many: what comes later is `_OTHER`.
 */
export class BoundedNames {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most = 500) {
    this.#most = most
  }

  of(name: string): string {
    const short = name.slice(0, longest)
    if (this.#known.has(short)) return short
    if (this.#known.size >= this.#most) return other
    this.#known.add(short)
    return short
  }
}
