import { knownOptions, namesOf } from '../known-options.ts'
import { checkedNumber, longestWait } from './checked-number.ts'
import { seededRandom } from './hash.ts'
import type { Mishap } from './mishap.ts'
import type { RefusalDetails } from './refused.ts'

/**
 * Faults of the local provider, drawn from a seed: the same seed gives the same faults to the same sequence
 * of calls. Each share is from 0 to 1, and together they are at most 1.
 */
export interface Faults {
  /** A whole number. Default 0. */
  readonly seed?: number
  /** Milliseconds before the answer's head, or the least and the most of them. Default 0. */
  readonly latencyMs?: number | readonly [least: number, most: number]
  /** The share of calls answered with 429. */
  readonly rateLimited?: number
  /** What a 429 and a 503 ask to wait, in seconds. Default 1. */
  readonly retryAfter?: number
  /** The share of calls answered with 500. */
  readonly failed?: number
  /** The share of calls answered with 503. */
  readonly overloaded?: number
  /** The share of answers that break off in an event that is no JSON. */
  readonly malformed?: number
  /** The share of answers whose connection is cut in the middle. */
  readonly cut?: number
  /** The share of calls that are never answered. */
  readonly hang?: number
  /** The share of answers that stop coming in the middle. */
  readonly stall?: number
  /** After how many words `malformed`, `cut` and `stall` strike. Default: drawn, from 0 to 8. */
  readonly afterTokens?: number
}

/** What befalls one call. */
export interface Fate {
  readonly latencyMs: number
  readonly refusal?: RefusalDetails
  readonly mishap?: Mishap
  readonly hangs?: boolean
}

const kinds = ['rateLimited', 'failed', 'overloaded', 'malformed', 'cut', 'hang', 'stall'] as const

const names = /* @__PURE__ */ namesOf<Faults>({
  seed: true,
  latencyMs: true,
  rateLimited: true,
  retryAfter: true,
  failed: true,
  overloaded: true,
  malformed: true,
  cut: true,
  hang: true,
  stall: true,
  afterTokens: true,
})

/** Throws `TypeError` or `RangeError` for faults that make no sense. */
export function checkFaults(faults: Faults): void {
  knownOptions('local(): faults', faults, names)
  let sum = 0
  for (const kind of kinds) sum += checkedNumber(`faults.${kind}`, faults[kind] ?? 0, { max: 1 })
  if (sum > 1 + 1e-9)
    throw new RangeError(`local(): the shares of faults must sum to at most 1, but sum to ${sum}.`)
  const { latencyMs = 0, seed = 0, retryAfter = 1, afterTokens = 0 } = faults
  const [least, most] = rangeOf(latencyMs)
  checkedNumber('faults.latencyMs', least, { max: longestWait })
  checkedNumber('faults.latencyMs', most, { min: least, max: longestWait })
  checkedNumber('faults.seed', seed, {
    min: Number.MIN_SAFE_INTEGER,
    max: Number.MAX_SAFE_INTEGER,
    whole: true,
  })
  checkedNumber('faults.retryAfter', retryAfter, { max: 86_400 })
  checkedNumber('faults.afterTokens', afterTokens, { max: 1_000_000, whole: true })
}

/** What befalls the call with this number, the first one being 0. */
export function fateOf(faults: Faults, call: number): Fate {
  const random = seededRandom(Math.imul(call + 1, 0x9e3779b1) ^ (faults.seed ?? 0))
  const [least, most] = rangeOf(faults.latencyMs ?? 0)
  const latencyMs = least + random() * (most - least)
  const drawn = random()
  const after = faults.afterTokens ?? Math.floor(random() * 9)
  let upTo = 0
  for (const kind of kinds) {
    upTo += faults[kind] ?? 0
    if (drawn < upTo) return { latencyMs, ...fates[kind](after, faults.retryAfter ?? 1) }
  }
  return { latencyMs }
}

const fates: Readonly<
  Record<(typeof kinds)[number], (after: number, retryAfter: number) => Omit<Fate, 'latencyMs'>>
> = {
  rateLimited: (_, retryAfter) => ({
    refusal: {
      status: 429,
      code: 'rate_limit_exceeded',
      message: `Rate limit reached. Please try again in ${retryAfter}s. (A fault that local() was asked for.)`,
      retryAfter,
    },
  }),
  failed: () => ({
    refusal: { status: 500, message: 'The server had an error. (A fault that local() was asked for.)' },
  }),
  overloaded: (_, retryAfter) => ({
    refusal: {
      status: 503,
      code: 'server_is_overloaded',
      message: 'The model is overloaded. (A fault that local() was asked for.)',
      retryAfter,
    },
  }),
  malformed: after => ({ mishap: { kind: 'malformed', after } }),
  cut: after => ({ mishap: { kind: 'cut', after } }),
  hang: () => ({ hangs: true }),
  stall: after => ({ mishap: { kind: 'hang', after } }),
}

function rangeOf(latency: number | readonly [number, number]): readonly [number, number] {
  return typeof latency === 'number' ? [latency, latency] : latency
}
