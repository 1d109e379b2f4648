import type { Adjustment, Target } from '../contracts/provider.ts'
import { memberOf } from '../primitives/own-members.ts'
import type { Usage } from '../protocol/chat.ts'

/** What is priced: the model that answered, by all its names, and what was billed beside its tokens. */
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
  /**
   * The service tier: the one that the vendor named, else the one that was asked for. A cheaper tier that was asked for
   * counts only where the vendor names it. Absent: the vendor's usual one, `default`.
   */
  readonly serviceTier?: string | undefined
  /** How many web searches were made: as the vendor counted them, else one where the request asked for them. Absent: none. */
  readonly webSearches?: number | undefined
}

/**
 * What a use of a model costs, in US dollars, or `null` where that is not known: an unknown price is never 0. Is also
 * asked before the model is, with the most that the request can use.
 */
export type Prices = (usage: Usage, model: PricedModel) => number | null

/** What an answer says of what is billed beside its tokens. */
export interface AnswerTerms {
  readonly serviceTier?: string | undefined
  readonly webSearches?: number | undefined
}

const none: AnswerTerms = Object.freeze({})
const unadjusted: readonly Adjustment[] = Object.freeze([])

/** The fields of a request that are billed beside its tokens. It need not be valid. */
type Asked = { readonly service_tier?: unknown; readonly web_search_options?: unknown } | undefined

/**
 * A target's model by all its names, with what a request asks for beside tokens and what the answer said of it. What the
 * provider has dropped was not asked for.
 */
export function pricedModel(
  model: string,
  target: Target,
  at: number,
  request: Asked,
  { serviceTier, webSearches }: AnswerTerms = none,
  adjustments: readonly Adjustment[] = unadjusted,
  responseModel?: string,
): PricedModel {
  const searches =
    webSearches ?? (askedFor('web_search_options', target, request, adjustments) == null ? 0 : 1)
  return {
    model,
    provider: target.provider.name,
    upstreamModel: target.model,
    responseModel,
    at,
    serviceTier:
      namedTier(serviceTier) ?? unconfirmedTier(askedFor('service_tier', target, request, adjustments)),
    webSearches: searches > 0 ? searches : undefined,
  }
}

/** The tiers by which a request may be billed, the one that it asks for first; empty: only the usual one. */
export function possibleTiers(target: Target, request: Asked): readonly string[] {
  const asked = askedFor('service_tier', target, request, unadjusted)
  return (typeof asked === 'string' && tiersByName.get(asked)) || noTiers
}

const noTiers: readonly string[] = Object.freeze([])
const tiersByName: ReadonlyMap<string, readonly string[]> = new Map([
  // The vendor chooses.
  ['auto', ['default', 'priority']],
  ['priority', ['priority', 'default']],
  ['fast', ['fast', 'default']],
  ['flex', ['flex', 'default']],
  ['scale', ['scale', 'default']],
])

/** What is asked for at a target, which may have a field of its own. */
function askedFor(
  field: keyof NonNullable<Asked>,
  { parameters }: Target,
  request: Asked,
  adjustments: readonly Adjustment[],
): unknown {
  const own = parameters?.[field]
  const asked = own === undefined ? request && memberOf(request, field) : own
  if (asked === undefined || asked === null || adjustments.length === 0) return asked
  return adjustments.some(({ parameter, action }) => parameter === field && action === 'dropped')
    ? undefined
    : asked
}

function namedTier(tier: string | undefined): string | undefined {
  return tier === undefined || tier === '' || tier === 'auto' ? undefined : tier
}

/** The tier that counts where the vendor names none. */
function unconfirmedTier(asked: unknown): string | undefined {
  return asked === 'priority' || asked === 'fast' ? asked : undefined
}
