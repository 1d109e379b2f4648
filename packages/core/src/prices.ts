import type { Usage } from './protocol/chat.ts'
import type { Target } from './provider.ts'

/** What is priced: the model that answered, by all its names. */
export interface PricedModel {
  /** The name that callers use. */
  readonly model: string
  /** The name of the provider that answered. */
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly upstreamModel: string
  /**
   * The model that the answer names, as a router or an alias answers by another one; `undefined` where it names none, and
   * before there is an answer. One line of at most 200 characters.
   */
  readonly responseModel?: string | undefined
  /** When it was asked, in milliseconds since 1970: prices change. */
  readonly at: number
}

/**
 * What a use of a model costs, in US dollars, or `null` where that is not known: an unknown price is never 0. Is also
 * asked before the model is, with the most that the request can use.
 */
export type Prices = (usage: Usage, model: PricedModel) => number | null

/** A target's model by all its names. */
export function pricedModel(model: string, target: Target, at: number, responseModel?: string): PricedModel {
  return { model, provider: target.provider.name, upstreamModel: target.model, responseModel, at }
}
