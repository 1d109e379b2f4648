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

const fields: Readonly<Record<keyof ModelPrice, 'required' | 'optional'>> = {
  input: 'required',
  output: 'required',
  cachedInput: 'optional',
  cacheWrite: 'optional',
  audioInput: 'optional',
  audioOutput: 'optional',
  perRequest: 'optional',
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

/** Everything that is wrong with a price: what was got and what was expected. */
export function priceFault(price: unknown): string[] {
  if (typeof price !== 'object' || price === null) return [`got ${String(price)}, expected { input, output }`]
  const faults = Object.keys(price)
    .filter(name => !Object.hasOwn(fields, name))
    .map(name => `${name}: no such field, expected ${Object.keys(fields).join(', ')}`)
  for (const [name, need] of Object.entries(fields)) {
    const amount: unknown = Object.hasOwn(price, name) ? price[name as never] : undefined
    if (amount === undefined && need === 'optional') continue
    if (typeof amount === 'number' && Number.isFinite(amount) && amount >= 0) continue
    faults.push(
      `${name}: got ${typeof amount === 'string' ? `'${amount}'` : String(amount)}, expected a number from 0`,
    )
  }
  return faults
}
