import type { AttemptRecord, EndEvent, Principal } from '@sluice/core'
import type { TagLabel } from './options.ts'

/** The value of a label that is not known. */
const unknownValue = 'unknown'

/** The values of labels that come from names, each with a bound. */
export class Labels {
  readonly #max: number
  readonly #tags: readonly (TagLabel & { readonly values: LabelValues })[]
  readonly #dialects: LabelValues
  readonly #models: LabelValues
  readonly #providers: LabelValues
  readonly #upstreamModels: LabelValues
  readonly #keys: LabelValues
  readonly #rules: LabelValues
  readonly #reasons: LabelValues

  constructor(tags: readonly TagLabel[], max: number) {
    this.#max = max
    this.#tags = tags.map(tag => ({ ...tag, values: this.#values() }))
    this.#dialects = this.#values()
    this.#models = this.#values()
    this.#providers = this.#values()
    this.#upstreamModels = this.#values()
    this.#keys = this.#values()
    this.#rules = this.#values()
    this.#reasons = this.#values()
  }

  /** The operation of a request and the protocol of its caller. */
  operation({ operation, dialect }: Pick<EndEvent, 'operation' | 'dialect'>): {
    operation: string
    dialect: string
  } {
    return { operation, dialect: this.#dialects.of(dialect) }
  }

  /** The public name of a model; `unknown` without one. */
  model(name: string | undefined): string {
    return name === undefined ? unknownValue : this.#models.of(name)
  }

  provider(attempt: Pick<AttemptRecord, 'provider'> | undefined): string {
    return attempt === undefined ? unknownValue : this.#providers.of(attempt.provider)
  }

  target(attempt: Pick<AttemptRecord, 'provider' | 'model'>): { provider: string; upstream_model: string } {
    return { provider: this.provider(attempt), upstream_model: this.#upstreamModels.of(attempt.model) }
  }

  /** The id of a provider's key. */
  key(id: string): string {
    return this.#keys.of(id)
  }

  rule(name: string): string {
    return this.#rules.of(name)
  }

  reason(name: string): string {
    return this.#reasons.of(name)
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
    return new LabelValues(this.#max)
  }
}

/** Replaces further values of a label that has too many. */
export const otherValue = 'other'

/** In characters. Longer values become `other`. */
const maxLength = 256

/** The values of a label: the first `max` as they are, all others as `other`. */
class LabelValues {
  readonly #known = new Set<string>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** The value under which it is counted. */
  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#max || value.length > maxLength) return otherValue
    this.#known.add(value)
    return value
  }
}
