import { type OptionCheck, optionIssues } from '../errors/check-options.ts'
import {
  type ConfigurationIssue,
  configurationIssue,
  type OptionPath,
} from '../errors/configuration-error.ts'
import { memberOf, ownMembers } from '../primitives/own-members.ts'
import type { Usage } from '../protocol/chat.ts'

/** What tokens cost, in US dollars per million. */
export interface TokenPrice {
  readonly input: number
  /** Reasoning is part of it. */
  readonly output: number
  /** Input that came from the vendor's cache. Default: as `input`. */
  readonly cachedInput?: number
  /** Input that went into the vendor's cache. Default: as `input`. */
  readonly cacheWrite?: number
  /** Input that is audio. Default: as `input`. */
  readonly audioInput?: number
  /** Output that is audio. Default: as `output`. */
  readonly audioOutput?: number
}

/** What a model costs, in US dollars: its tokens, and what is billed beside them. */
export interface ModelPrice extends TokenPrice {
  /** US dollars for each request, beside its tokens. Default 0. */
  readonly perRequest?: number
  /** US dollars for each web search. Default: not known, so that an answer with one has no price. */
  readonly webSearch?: number
  /**
   * Tokens by service tiers: `{ priority: { input: 3.5, output: 14 }, flex: 0.5 }`. A number is a multiple of the usual
   * prices. Default: `priority` and `fast` have no price, all that is not dearer costs the usual.
   */
  readonly tiers?: Readonly<Record<string, TokenPrice | number>>
}

/** A price in which nothing is left open. */
export interface WholePrice {
  readonly tokens: Required<TokenPrice>
  readonly perRequest: number
  readonly webSearch: number | undefined
  readonly tiers: ReadonlyMap<string, Required<TokenPrice>>
}

/** A copy of a price in which nothing is left open. */
export function wholePrice(price: ModelPrice): WholePrice {
  const { perRequest = 0, webSearch, tiers = {} } = ownMembers(price)
  const tokens = wholeTokens(price)
  const entries = Object.entries(tiers).map(
    ([tier, given]) => [tier, typeof given === 'number' ? times(tokens, given) : wholeTokens(given)] as const,
  )
  return { tokens, perRequest, webSearch, tiers: new Map(entries) }
}

function wholeTokens(price: TokenPrice): Required<TokenPrice> {
  const { input, output, cachedInput, cacheWrite, audioInput, audioOutput } = ownMembers(price)
  return {
    input,
    output,
    cachedInput: cachedInput ?? input,
    cacheWrite: cacheWrite ?? input,
    audioInput: audioInput ?? input,
    audioOutput: audioOutput ?? output,
  }
}

function times(price: Required<TokenPrice>, factor: number): Required<TokenPrice> {
  const { input, output, cachedInput, cacheWrite, audioInput, audioOutput } = price
  return {
    input: input * factor,
    output: output * factor,
    cachedInput: cachedInput * factor,
    cacheWrite: cacheWrite * factor,
    audioInput: audioInput * factor,
    audioOutput: audioOutput * factor,
  }
}

/** What a use costs by a price, in US dollars; `null` where its tier or its searches have no price. */
export function costOf(
  usage: Usage,
  price: WholePrice,
  serviceTier: string | undefined,
  webSearches = 0,
): number | null {
  const { tiers, webSearch = 0 } = price
  // Vendors answer `fast` by `priority`.
  const ofTier =
    serviceTier === undefined
      ? undefined
      : (tiers.get(serviceTier) ?? (serviceTier === 'fast' ? tiers.get('priority') : undefined))
  if (ofTier === undefined && !isUsual(serviceTier)) return null
  if (webSearches > 0 && price.webSearch === undefined) return null
  return tokenCost(usage, ofTier ?? price.tokens) + price.perRequest + webSearches * webSearch
}

/** What vendors call the tiers that cost no more than the usual one. */
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

/** Whether a tier without a price of its own costs no more than the usual. */
export function isUsual(serviceTier: string | undefined): boolean {
  return serviceTier === undefined || usualTiers.has(serviceTier)
}

function tokenCost(usage: Usage, price: Required<TokenPrice>): number {
  const parts = tokenParts(usage)
  const millionths =
    parts.text * price.input +
    parts.cached * price.cachedInput +
    parts.written * price.cacheWrite +
    parts.audio * price.audioInput +
    parts.answer * price.output +
    parts.spoken * price.audioOutput
  return millionths / 1e6
}

/** One issue for each member of a price that cannot be used. */
export function priceIssues(price: unknown, path: OptionPath): ConfigurationIssue[] {
  if (typeof price !== 'object' || price === null)
    return [configurationIssue(path, price, '{ input, output }')]
  const tiers: unknown = memberOf(price as ModelPrice, 'tiers')
  const ofTiers = isPlainObject(tiers) ? Object.entries(tiers) : []
  return [
    ...optionIssues(price, checks, { path, required }),
    ...ofTiers.flatMap(([tier, given]) => tierIssues(given, [...path, 'tiers', tier])),
  ]
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
const checks = {
  ...tokenChecks,
  perRequest: anAmount,
  webSearch: anAmount,
  tiers: value =>
    isPlainObject(value) ? undefined : 'prices by tier, such as { priority: { input, output } }',
} satisfies Record<keyof ModelPrice, OptionCheck>

/** The tokens of a usage, each in one part only. */
interface TokenParts {
  /** Input that is none of the others. */
  readonly text: number
  readonly cached: number
  readonly written: number
  readonly audio: number
  /** Output that is no audio. */
  readonly answer: number
  readonly spoken: number
}

/** Takes the counts apart. A vendor may say that more came from its cache than there was: no part is more than its whole. */
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
