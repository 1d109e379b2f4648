import { type OptionCheck, optionIssues } from '../errors/check-options.ts'
import {
  type ConfigurationIssue,
  configurationIssue,
  type OptionPath,
} from '../errors/configuration-error.ts'
import { memberOf, ownMembers } from '../primitives/own-members.ts'
import type { Usage } from '../protocol/chat.ts'

/** Prices of tokens, in US dollars per million. */
export interface TokenPrice {
  readonly input: number
  /** Includes reasoning tokens. */
  readonly output: number
  /** Input read from the vendor's prompt cache. Default: `input`. */
  readonly cachedInput?: number | undefined
  /** Input written to the vendor's prompt cache. Default: `input`. */
  readonly cacheWrite?: number | undefined
  /** Audio input. Default: `input`. */
  readonly audioInput?: number | undefined
  /** Audio output. Default: unknown, so that a response with audio has no price. */
  readonly audioOutput?: number | undefined
}

/** Prices of tokens with all defaults applied. */
type ResolvedTokenPrice = { readonly [Name in Exclude<keyof TokenPrice, 'audioOutput'>]-?: number } & {
  readonly audioOutput: number | undefined
}

/** Prices of tokens in requests with a long prompt. */
export interface LongContextPrice extends TokenPrice {
  /** Applies to all tokens of a request whose prompt has more tokens than this. */
  readonly above: number
}

/** Prices of a model in US dollars: its tokens, and what is billed in addition. */
export interface ModelPrice extends TokenPrice {
  /** Prices of requests with a long prompt: `[{ above: 200_000, input: 6, output: 22.5 }]`. Default: as the others. */
  readonly longContext?: readonly LongContextPrice[] | undefined
  /** US dollars per request, in addition to its tokens. Default 0. */
  readonly perRequest?: number | undefined
  /** US dollars per web search. Default: unknown, so that a response with web searches has no price. */
  readonly webSearch?: number | undefined
  /** US dollars per search unit, by which some vendors bill an order of documents. Default 0. */
  readonly searchUnit?: number | undefined
  /**
   * Prices by service tier: `{ priority: { input: 3.5, output: 14 }, flex: 0.5 }`. A number is a multiple of the default
   * prices. Default: `priority` and `fast` have no price; tiers that are not more expensive have the default prices.
   */
  readonly tiers?: Readonly<Record<string, TokenPrice | number>> | undefined
}

/** A price with all defaults applied. */
export interface ResolvedPrice {
  readonly tokens: ResolvedTokenPrice
  readonly perRequest: number
  readonly webSearch: number | undefined
  readonly searchUnit: number
  readonly tiers: ReadonlyMap<string, ResolvedTier>
  /** The highest threshold first. */
  readonly longContext: readonly ResolvedLongContext[]
}

interface ResolvedTier {
  readonly tokens: ResolvedTokenPrice
  /** `undefined` if the tier has its own prices, so that none is known for long prompts. */
  readonly factor: number | undefined
}

interface ResolvedLongContext {
  readonly above: number
  readonly tokens: ResolvedTokenPrice
}

/** Returns a copy of a price with all defaults applied. */
export function resolvePrice(price: ModelPrice): ResolvedPrice {
  const { perRequest = 0, webSearch, searchUnit = 0, tiers = {}, longContext = [] } = ownMembers(price)
  const tokens = resolveTokenPrice(price)
  const entries = Object.entries(tiers).map(([tier, given]) => [tier, resolveTier(given, tokens)] as const)
  return {
    tokens,
    perRequest,
    webSearch,
    searchUnit,
    tiers: new Map(entries),
    longContext: longContext
      .map(given => ({ above: ownMembers(given).above, tokens: resolveTokenPrice(given) }))
      .sort((one, other) => other.above - one.above),
  }
}

function resolveTier(given: TokenPrice | number, tokens: ResolvedTokenPrice): ResolvedTier {
  if (typeof given === 'number') return { tokens: times(tokens, given), factor: given }
  return { tokens: resolveTokenPrice(given), factor: undefined }
}

function resolveTokenPrice(price: TokenPrice): ResolvedTokenPrice {
  const { input, output, cachedInput, cacheWrite, audioInput, audioOutput } = ownMembers(price)
  return {
    input,
    output,
    cachedInput: cachedInput ?? input,
    cacheWrite: cacheWrite ?? input,
    audioInput: audioInput ?? input,
    audioOutput,
  }
}

function times(price: ResolvedTokenPrice, factor: number): ResolvedTokenPrice {
  const { input, output, cachedInput, cacheWrite, audioInput, audioOutput } = price
  return {
    input: input * factor,
    output: output * factor,
    cachedInput: cachedInput * factor,
    cacheWrite: cacheWrite * factor,
    audioInput: audioInput * factor,
    audioOutput: audioOutput === undefined ? undefined : audioOutput * factor,
  }
}

/**
 * Returns the cost of usage in US dollars, or `null` if its service tier, its web searches, its audio output, or a long prompt in
 * that tier have no price.
 */
export function costOf(
  usage: Usage,
  price: ResolvedPrice,
  serviceTier: string | undefined,
  webSearches = 0,
  searchUnits = 0,
): number | null {
  const { tiers, webSearch = 0 } = price
  // Vendors report `fast` as `priority`.
  const ofTier =
    serviceTier === undefined
      ? undefined
      : (tiers.get(serviceTier) ?? (serviceTier === 'fast' ? tiers.get('priority') : undefined))
  if (ofTier === undefined && !isUsual(serviceTier)) return null
  if (webSearches > 0 && price.webSearch === undefined) return null
  const tokens = tokenPrice(usage, price, ofTier)
  if (tokens === null) return null
  const cost = tokenCost(usage, tokens)
  return cost === null
    ? null
    : cost + price.perRequest + webSearches * webSearch + searchUnits * price.searchUnit
}

function tokenPrice(
  { prompt_tokens: prompt }: Usage,
  { tokens, longContext }: ResolvedPrice,
  tier: ResolvedTier | undefined,
): ResolvedTokenPrice | null {
  const long = longContext.length === 0 ? undefined : longContext.find(({ above }) => prompt > above)
  if (long === undefined) return tier?.tokens ?? tokens
  if (tier === undefined) return long.tokens
  return tier.factor === undefined ? null : times(long.tokens, tier.factor)
}

/** Names of service tiers that cost no more than the default one. */
const usualTiers: ReadonlySet<string> = new Set([
  'default',
  'auto',
  'standard',
  'on_demand',
  'flex',
  'batch',
  'scale',
  'reserved',
])

/** Returns whether a tier without its own price costs no more than the default one. */
export function isUsual(serviceTier: string | undefined): boolean {
  return serviceTier === undefined || usualTiers.has(serviceTier)
}

function tokenCost(usage: Usage, price: ResolvedTokenPrice): number | null {
  const parts = tokenParts(usage)
  const { audioOutput = 0 } = price
  if (parts.spoken > 0 && price.audioOutput === undefined) return null
  const millionths =
    parts.text * price.input +
    parts.cached * price.cachedInput +
    parts.written * price.cacheWrite +
    parts.audio * price.audioInput +
    parts.answer * price.output +
    parts.spoken * audioOutput
  return millionths / 1e6
}

/** Returns an issue for each invalid field of a price. */
export function priceIssues(price: unknown, path: OptionPath): ConfigurationIssue[] {
  if (typeof price !== 'object' || price === null)
    return [configurationIssue(path, price, '{ input, output }')]
  const tiers: unknown = memberOf(price as ModelPrice, 'tiers')
  const ofTiers = isPlainObject(tiers) ? Object.entries(tiers) : []
  const longContext: unknown = memberOf(price as ModelPrice, 'longContext')
  const ofLong = Array.isArray(longContext) ? Array.from<unknown>(longContext) : []
  return [
    ...optionIssues(price, checks, { path, required }),
    ...ofTiers.flatMap(([tier, given]) => tierIssues(given, [...path, 'tiers', tier])),
    ...ofLong.flatMap((given, index) => longContextIssues(given, [...path, 'longContext', index])),
  ]
}

function longContextIssues(given: unknown, path: OptionPath): ConfigurationIssue[] {
  if (!isPlainObject(given)) return [configurationIssue(path, given, '{ above, input, output }')]
  return optionIssues(given, longContextChecks, { path, required: [...required, 'above'] })
}

function tierIssues(given: unknown, path: OptionPath): ConfigurationIssue[] {
  if (isPlainObject(given)) return optionIssues(given, tokenChecks, { path, required })
  return isAmount(given) ? [] : [configurationIssue(path, given, '{ input, output }, or a number from 0')]
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

const required = ['input', 'output'] satisfies (keyof TokenPrice)[]
const anAmount: OptionCheck = amount => (isAmount(amount) ? undefined : 'a number from 0')
const tokenChecks = {
  input: anAmount,
  output: anAmount,
  cachedInput: anAmount,
  cacheWrite: anAmount,
  audioInput: anAmount,
  audioOutput: anAmount,
} satisfies Record<keyof TokenPrice, OptionCheck>
const longContextChecks = {
  ...tokenChecks,
  above: tokens =>
    Number.isSafeInteger(tokens) && (tokens as number) > 0 ? undefined : 'a whole number of tokens above 0',
} satisfies Record<keyof LongContextPrice, OptionCheck>
const checks = {
  ...tokenChecks,
  longContext: value =>
    Array.isArray(value) ? undefined : 'a list of prices, such as [{ above: 200000, input, output }]',
  perRequest: anAmount,
  webSearch: anAmount,
  searchUnit: anAmount,
  tiers: value =>
    isPlainObject(value) ? undefined : 'prices by tier, such as { priority: { input, output } }',
} satisfies Record<keyof ModelPrice, OptionCheck>

/** Tokens by price category; each token is in one category only. */
interface TokenParts {
  /** Other input. */
  readonly text: number
  readonly cached: number
  readonly written: number
  readonly audio: number
  /** Output other than audio. */
  readonly answer: number
  readonly spoken: number
}

/** Splits usage into categories. Counts of a vendor that exceed the total are capped. */
export function tokenParts(usage: Usage): TokenParts {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  const { cached_tokens, cache_write_tokens = 0, audio_tokens } = usage.prompt_tokens_details
  const cached = Math.min(cached_tokens, prompt)
  const written = Math.min(cache_write_tokens, prompt - cached)
  const audio = Math.min(audio_tokens, prompt - cached - written)
  const spoken = Math.min(usage.completion_tokens_details.audio_tokens, completion)
  return {
    text: prompt - cached - written - audio,
    cached,
    written,
    audio,
    answer: completion - spoken,
    spoken,
  }
}
