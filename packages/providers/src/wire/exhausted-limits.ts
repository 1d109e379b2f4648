import type { UpstreamResponse } from '@sluice/core'
import { decimalOf, momentOf, sensible } from './waits.ts'

/** How a vendor tells of one limit: what is left of it, and when it is full again. */
type Limit = readonly [remaining: string, reset: string]

const openai = (what: string): Limit => [`x-ratelimit-remaining${what}`, `x-ratelimit-reset${what}`]
const anthropic = (what: string): Limit => [
  `anthropic-ratelimit-${what}-remaining`,
  `anthropic-ratelimit-${what}-reset`,
]

const limits: readonly Limit[] = [
  ...['-requests', '-tokens', '-requests-day', '-tokens-minute', ''].map(openai),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map(anthropic),
]

/**
 * How long it is until the limits that are used up are full again, in milliseconds: of several the longest. `undefined`
 * where none is told to be used up, for the time of a limit that has room says nothing of a refusal; and where one that
 * is has no time that makes sense.
 *
 * It may be more than the wait that is needed: a vendor whose limit fills steadily has room again before it is full.
 * Of OpenAI and those who follow it (Groq, Azure): `x-ratelimit-remaining-*` and `x-ratelimit-reset-*`, such as `6m0s`;
 * of Cerebras the same by day and minute, in seconds; of routers such as OpenRouter without a name; of Anthropic `anthropic-ratelimit-*-remaining` and `-reset`, a
 * date.
 */
export function exhaustedMs(headers: UpstreamResponse['headers'], now: () => number): number | undefined {
  let longest: number | undefined
  for (const [remaining, reset] of limits) {
    if (decimalOf(headers.get(remaining)) !== 0) continue
    const ms = sensible(untilReset(headers.get(reset) ?? '', now))
    if (ms === undefined) return undefined
    longest = Math.max(longest ?? 0, ms)
  }
  return longest
}

/** A date, a duration or a number. */
function untilReset(value: string, now: () => number): number | undefined {
  const text = value.trim()
  if (rfc3339.test(text)) return momentOf(text, now)
  const number = decimalOf(text)
  return number === undefined ? durationMs(text) : ofNumber(number, now)
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

/** Nobody says of what it is: nothing between a day of seconds and the seconds since 1970 is either of them. */
function ofNumber(number: number, now: () => number): number | undefined {
  if (number <= 86_400) return number * 1000
  if (number < 1e9) return undefined
  return Math.max(0, (number < 1e12 ? number * 1000 : number) - now())
}

const unitMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
}

/** As Go writes a duration: `1m30.5s`, `250ms`. */
function durationMs(text: string): number | undefined {
  if (!/^(\d{1,15}(\.\d{1,15})?(h|m|s|ms|us|µs|ns)){1,7}$/.test(text)) return undefined
  let sum = 0
  for (const [, number, unit = ''] of text.matchAll(/([\d.]+)([a-zµ]+)/g)) {
    sum += Number(number) * (unitMs[unit] ?? Number.NaN)
  }
  return sum
}
