import type { Operation, Outline } from '../contracts/outline.ts'
import type { Adjustment, Target } from '../contracts/provider.ts'
import type { Usage } from '../protocol/chat.ts'

/** The model to price, by all its names, and what is billed in addition to its tokens. */
export interface PricedModel {
  readonly operation: Operation
  /** The requested model. */
  readonly model: string
  /** The name of the provider. */
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly upstreamModel: string
  /**
   * The model that the response names, which may differ with a router or an alias. `undefined` if it names none, and before
   * there is a response. One line of at most 200 characters.
   */
  readonly responseModel?: string | undefined
  /** Time of the call, in milliseconds since 1970, as prices change. */
  readonly at: number
  /**
   * The service tier that the vendor reports, else the requested one. A cheaper tier counts only if the vendor reports it.
   * Absent: `default`.
   */
  readonly serviceTier?: string | undefined
  /** Number of web searches that the vendor reports, else 1 if the request enabled them. Absent: none. */
  readonly webSearches?: number | undefined
  /** Number of search units that the vendor bills for an order of documents, else the most that the request may need. */
  readonly searchUnits?: number | undefined
}

/**
 * Returns the cost of usage in US dollars, or `null` if the price is unknown, never 0. It is also called before the upstream
 * call, with the maximum usage of the request.
 */
export type Prices = (usage: Usage, model: PricedModel) => number | null

/** What a response reports of billing in addition to tokens. */
export interface AnswerTerms {
  readonly serviceTier?: string | undefined
  readonly webSearches?: number | undefined
  readonly searchUnits?: number | undefined
}

const none: AnswerTerms = Object.freeze({})
const unadjusted: readonly Adjustment[] = Object.freeze([])

/** What of a request affects billing, beside its tokens. */
type BilledRequest = Pick<Outline, 'serviceTier' | 'searchesWeb' | 'searchUnits'> | undefined

/** Returns the model to price for a call, with the target's own parameters. Parameters that the provider has dropped do not count as requested. */
export function pricedModel(
  operation: Operation,
  model: string,
  target: Target,
  at: number,
  request: BilledRequest,
  { serviceTier, webSearches, searchUnits }: AnswerTerms = none,
  adjustments: readonly Adjustment[] = unadjusted,
  responseModel?: string,
): PricedModel {
  const searches = webSearches ?? (requestsSearch(target, request, adjustments) ? 1 : 0)
  return {
    operation,
    model,
    provider: target.provider.name,
    upstreamModel: target.model,
    responseModel,
    at,
    serviceTier: namedTier(serviceTier) ?? unconfirmedTier(requestedTier(target, request, adjustments)),
    webSearches: searches > 0 ? searches : undefined,
    searchUnits: searchUnits ?? request?.searchUnits,
  }
}

/** Returns the tiers by which a request may be billed, the requested one first; empty if only by the default one. */
export function possibleTiers(target: Target, request: BilledRequest): readonly string[] {
  const asked = requestedTier(target, request, unadjusted)
  if (asked === undefined || asked === 'default') return noTiers
  const takesAny = target.provider.accepts?.includes('service_tiers') === true
  return tiersByName.get(asked) ?? (takesAny ? [asked, 'default'] : noTiers)
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

/** Returns the service tier that is sent to a target. */
function requestedTier(
  { parameters }: Target,
  request: BilledRequest,
  adjustments: readonly Adjustment[],
): string | undefined {
  const own = parameters?.service_tier
  const asked = own === undefined ? request?.serviceTier : own
  return asked === undefined || asked === null || isDropped('service_tier', adjustments) ? undefined : asked
}

/** Returns whether a target is allowed to search the web. */
function requestsSearch(
  { parameters }: Target,
  request: BilledRequest,
  adjustments: readonly Adjustment[],
): boolean {
  const own = parameters?.web_search_options
  const asked = own === undefined ? request?.searchesWeb === true : own !== null
  return asked && !isDropped('web_search_options', adjustments)
}

function isDropped(field: string, adjustments: readonly Adjustment[]): boolean {
  return (
    adjustments.length > 0 &&
    adjustments.some(({ parameter, action }) => parameter === field && action === 'dropped')
  )
}

function namedTier(tier: string | undefined): string | undefined {
  return tier === undefined || tier === '' || tier === 'auto' ? undefined : tier
}

/** Returns the tier that counts if the vendor reports none. */
function unconfirmedTier(asked: string | undefined): string | undefined {
  return asked === 'priority' || asked === 'fast' ? asked : undefined
}
