import type { Attributes } from '@opentelemetry/api'
import type { Principal } from '@sluice/core'
import { BoundedNames } from './bounded-names.ts'
import { ownAttributes } from './names.ts'
import { providerName } from './provider-name.ts'

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
