import { seededRandom } from './hash.ts'
import { maxTimerMs, milliseconds, pieceCount, validateNumber, validateOptions } from './options.ts'
import type { FakeReply } from './script.ts'

/**
 * Fault injection for `local()`. The same seed gives the same faults to the same sequence of calls. Each share is from 0
 * to 1, and the sum of all shares is at most 1.
 */
export interface LocalFaults {
  /** The seed, a whole number. Default 0. */
  readonly seed?: number
  /** Milliseconds before the response headers, or their minimum and maximum. Default 0. */
  readonly latencyMs?: number | readonly [least: number, most: number]
  /** The share of calls that return 429. */
  readonly rateLimited?: number
  /** The `retry-after` of a 429 and a 503, in seconds. Default 1. */
  readonly retryAfter?: number
  /** The share of calls that return 500. */
  readonly failed?: number
  /** The share of calls that return 503. */
  readonly overloaded?: number
  /** The share of responses that end in an event with malformed JSON. */
  readonly malformed?: number
  /** The share of responses whose connection is cut. */
  readonly cut?: number
  /** The share of calls that never get a response. */
  readonly hang?: number
  /** The share of responses that stall: the connection stays open and nothing more arrives. */
  readonly stall?: number
  /** The tokens before `malformed`, `cut` and `stall` happen. Default: random, from 0 to 8. */
  readonly afterTokens?: number
}

const kinds = ['rateLimited', 'failed', 'overloaded', 'malformed', 'cut', 'hang', 'stall'] as const
const names = `seed latencyMs retryAfter afterTokens ${kinds.join(' ')}`
const bounds = {
  ...Object.fromEntries(kinds.map(kind => [kind, { max: 1 }])),
  seed: { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, integer: true },
  retryAfter: { max: 86_400 },
  afterTokens: pieceCount,
}

/** Throws `TypeError` or `RangeError` for invalid faults. */
export function validateFaults(faults: LocalFaults): void {
  validateOptions('faults', faults, names, bounds)
  const sum = kinds.reduce((total, kind) => total + (faults[kind] ?? 0), 0)
  if (sum > 1 + 1e-9)
    throw new RangeError(`local(): the shares of faults must sum to at most 1, but sum to ${sum}.`)
  const [least = 0, most = least] = [faults.latencyMs ?? 0].flat()
  validateNumber('faults.latencyMs', least, milliseconds)
  validateNumber('faults.latencyMs', most, { min: least, max: maxTimerMs })
}

/** Draws what goes wrong in the call with this number; the first call is 0. */
export function drawFault(faults: LocalFaults, call: number): FakeReply {
  const { seed = 0, retryAfter = 1, afterTokens } = faults
  const random = seededRandom(Math.imul(call + 1, 0x9e3779b1) ^ seed)
  const [least = 0, most = least] = [faults.latencyMs ?? 0].flat()
  const delayMs = least + random() * (most - least)
  const drawn = random()
  const after = afterTokens ?? Math.floor(random() * 9)
  let upTo = 0
  for (const kind of kinds) {
    upTo += faults[kind] ?? 0
    if (drawn < upTo) return { delayMs, ...replies[kind](after, retryAfter) }
  }
  return { delayMs }
}

const requested = '(A fault that the options of local() ask for.)'
type CreateReply = (after: number, retryAfter: number) => FakeReply
const replies: Readonly<Record<(typeof kinds)[number], CreateReply>> = {
  rateLimited: (_, retryAfter) => {
    const message = `Rate limit reached. Please try again in ${retryAfter}s. ${requested}`
    return { error: { status: 429, code: 'rate_limit_exceeded', message, retryAfter } }
  },
  failed: () => ({ error: { status: 500, message: `The server had an error. ${requested}` } }),
  overloaded: (_, retryAfter) => {
    const message = `The model is overloaded. ${requested}`
    return { error: { status: 503, code: 'server_is_overloaded', message, retryAfter } }
  },
  malformed: after => ({ malformedAfter: after }),
  cut: after => ({ cutAfter: after }),
  hang: () => ({ hang: 'before-headers' }),
  stall: after => ({ hang: after }),
}
