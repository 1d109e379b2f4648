import type { AttemptRecord, EndEvent, Principal, TargetEvent } from '@sluice/core'
import type { TagLabel } from './options.ts'

/** The value of a label that is not known. */
const unknownValue = 'unknown'

/** A request, and the name of its model. */
type NamedModel = Pick<EndEvent, 'model' | 'unlisted'>

/** A target, and whether callers may have made up its names. */
type NamedTarget = Pick<TargetEvent, 'provider' | 'model' | 'unlisted'>

/**
 * The values of labels that come from names, each with a bound. Models and targets that the route lists do not count: a caller
 * who makes up names that match a pattern can never turn one of those into `other`.
 */
export class Labels {
  readonly #max: number
  readonly #tags: readonly (TagLabel & { readonly values: LabelValues })[]
  readonly #dialects: LabelValues
  readonly #models: LabelValues
  readonly #providers: LabelValues
  /** Of targets that the route does not list: called for models that it lists, as by a route of the user's own. */
  readonly #upstreamModels: LabelValues
  /** The same, called for models that only a pattern matches: callers can make up their names. */
  readonly #patternUpstreamModels: LabelValues
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
    this.#patternUpstreamModels = this.#values()
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

  /**
   * The public name of a model; `unknown` without one. A new name that the route does not list is `other` until an upstream was
   * `called` for it.
   */
  model({ model, unlisted }: NamedModel, called: boolean): string {
    if (model === undefined) return unknownValue
    if (unlisted !== true) return model
    return called ? this.#models.of(model) : this.#models.known(model)
  }

  provider(attempt: Pick<AttemptRecord, 'provider' | 'unlisted'> | undefined): string {
    if (attempt === undefined) return unknownValue
    return attempt.unlisted === true ? this.#providers.of(attempt.provider) : attempt.provider
  }

  /** The target of an attempt of a request. */
  attempted(attempt: AttemptRecord, request: NamedModel): TargetLabels {
    const values = request.unlisted === true ? this.#patternUpstreamModels : this.#upstreamModels
    return this.#target(attempt, values, attempt.called)
  }

  /** A target whose state has changed. */
  target(target: NamedTarget): TargetLabels {
    const own = this.#target(target, this.#upstreamModels, false)
    return isOther(own) ? this.#target(target, this.#patternUpstreamModels, true) : own
  }

  /** `adds`: whether the model is added to the values if it is new. */
  #target(target: NamedTarget, models: LabelValues, adds: boolean): TargetLabels {
    const { model, unlisted } = target
    const provider = this.provider(target)
    if (unlisted !== true) return { provider, upstream_model: model }
    return { provider, upstream_model: adds ? models.of(model) : models.known(model) }
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

/** The labels of a target. */
export interface TargetLabels {
  readonly provider: string
  readonly upstream_model: string
}

/** Whether a target has no labels of its own. */
export function isOther({ provider, upstream_model }: TargetLabels): boolean {
  return provider === otherValue || upstream_model === otherValue
}

/** In characters. Longer values become `other`. */
const maxLength = 256

/** The values of a label: the first `max` as they are, all others as `other`. */
class LabelValues {
  readonly #known = new Set<string>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** The value under which it is counted. Adds none. */
  known(value: string): string {
    return this.#known.has(value) ? value : otherValue
  }

  /** The value under which it is counted, from now on. */
  of(value: string): string {
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#max || value.length > maxLength) return otherValue
    this.#known.add(value)
    return value
  }
}
