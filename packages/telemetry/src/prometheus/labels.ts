import type { AttemptRecord, Principal } from '@sluice/core'
import type { TagLabel } from './options.ts'

/** Where nothing is known that a label could say. */
const unknownValue = 'unknown'

/** The values of labels that come from names, each with a bound. */
export class Labels {
  readonly #most: number
  readonly #tags: readonly (TagLabel & { readonly values: LabelValues })[]
  readonly #models: LabelValues
  readonly #providers: LabelValues
  readonly #upstreamModels: LabelValues
  readonly #rules: LabelValues
  readonly #refusals: LabelValues

  constructor(tags: readonly TagLabel[], most: number) {
    this.#most = most
    this.#tags = tags.map(tag => ({ ...tag, values: this.#values() }))
    this.#models = this.#values()
    this.#providers = this.#values()
    this.#upstreamModels = this.#values()
    this.#rules = this.#values()
    this.#refusals = this.#values()
  }

  /** The public name of a model; `unknown` where the caller's is none. */
  model(name: string | undefined): string {
    return name === undefined ? unknownValue : this.#models.of(name)
  }

  provider(attempt: Pick<AttemptRecord, 'provider'> | undefined): string {
    return attempt === undefined ? unknownValue : this.#providers.of(attempt.provider)
  }

  place(attempt: Pick<AttemptRecord, 'provider' | 'model'>): { provider: string; upstream_model: string } {
    return { provider: this.provider(attempt), upstream_model: this.#upstreamModels.of(attempt.model) }
  }

  rule(name: string): string {
    return this.#rules.of(name)
  }

  refusal(name: string): string {
    return this.#refusals.of(name)
  }

  /** The tags of a caller that are labels; one that a caller does not have is empty. */
  tags(principal: Principal | undefined): Record<string, string> {
    const labels: Record<string, string> = {}
    for (const { tag, label, values } of this.#tags) {
      const given: unknown = principal?.tags
      const value: unknown =
        typeof given === 'object' && given !== null && Object.hasOwn(given, tag)
          ? (given as Readonly<Record<string, unknown>>)[tag]
          : ''
      labels[label] = typeof value === 'string' && value !== '' ? values.of(value) : ''
    }
    return labels
  }

  #values(): LabelValues {
    return new LabelValues(this.#most)
  }
}

/** What is counted under a label when its values are too many. */
export const otherValue = 'other'

/** A longer value is nobody's name. */
const longest = 256

/** The values that a label has: the first `most` as they are, all others as one. */
class LabelValues {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** The value under which it is counted. */
  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#most || value.length > longest) return otherValue
    this.#known.add(value)
    return value
  }
}
