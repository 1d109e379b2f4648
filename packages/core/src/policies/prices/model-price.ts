import { optionIssues } from '../../check-options.ts'
import { type ConfigurationIssue, configurationIssue, type OptionPath } from '../../configuration-error.ts'
import type { Usage } from '../../protocol/chat.ts'
import { ownMembers } from '../../protocol/own-members.ts'
import { tokenParts } from './token-parts.ts'

/** What a model costs, in US dollars per million tokens. */
export interface ModelPrice {
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
  /** US dollars for each request, beside its tokens. Default 0. */
  readonly perRequest?: number
}

/** A copy of a price in which nothing is left open. */
export function wholePrice(price: ModelPrice): Required<ModelPrice> {
  const { input, output, cachedInput, cacheWrite, audioInput, audioOutput, perRequest } = ownMembers(price)
  return {
    input,
    output,
    cachedInput: cachedInput ?? input,
    cacheWrite: cacheWrite ?? input,
    audioInput: audioInput ?? input,
    audioOutput: audioOutput ?? output,
    perRequest: perRequest ?? 0,
  }
}

/** What a usage costs by a price, in US dollars. */
export function costOf(usage: Usage, price: Required<ModelPrice>): number {
  const parts = tokenParts(usage)
  const millionths =
    parts.text * price.input +
    parts.cached * price.cachedInput +
    parts.written * price.cacheWrite +
    parts.audio * price.audioInput +
    parts.answer * price.output +
    parts.spoken * price.audioOutput
  return millionths / 1e6 + price.perRequest
}

/** One issue for each member of a price that cannot be used. */
export function priceIssues(price: unknown, path: OptionPath): ConfigurationIssue[] {
  if (typeof price !== 'object' || price === null)
    return [configurationIssue(path, price, '{ input, output }')]
  return optionIssues(price, checks, { path, required: ['input', 'output'] })
}

const anAmount = (amount: unknown) =>
  typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? undefined : 'a number from 0'
const checks = {
  input: anAmount,
  output: anAmount,
  cachedInput: anAmount,
  cacheWrite: anAmount,
  audioInput: anAmount,
  audioOutput: anAmount,
  perRequest: anAmount,
} satisfies Record<keyof ModelPrice, unknown>
