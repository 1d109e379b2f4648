import type { UpstreamResponse } from '@sluice/core/provider'

/**
 * Returns how long the vendor asks to wait, in milliseconds; `undefined` if it does not say. The first plausible value
 * of these counts:
 *
 * 1. `retry-after-ms`, which OpenAI and Azure send beside the next one because it is finer.
 * 2. `retry-after`, in seconds or as an HTTP date (RFC 9110, section 10.2.3). A date gone by is 0.
 * 3. When the limit that is used up is full again: see `exhaustedMs`.
 *
 * A negative or invalid time, or one above a day, is not plausible.
 */
export function retryAfterMs(headers: UpstreamResponse['headers'], now: () => number): number | undefined {
  return (
    plausibleWait(decimalOf(headers.get('retry-after-ms'))) ??
    plausibleWait(parseRetryAfter(headers.get('retry-after'), now)) ??
    exhaustedMs(headers, now)
  )
}

/** Returns the wait that an error message states as OpenAI does, such as `Please try again in 1.5s.`, in milliseconds. */
export function statedWaitMs(message: string): number | undefined {
  const [, duration = ''] = /\btry again in (\d[\d.hms]{0,30}?)[.,]?(?:\s|$)/i.exec(message) ?? []
  return plausibleWait(durationMs(duration))
}

function parseRetryAfter(value: string | null, now: () => number): number | undefined {
  const seconds = decimalOf(value)
  return seconds === undefined ? momentOf(httpDate(value?.trim() ?? ''), now) : seconds * 1000
}

/** An HTTP date with its zone; an empty text for anything else, of which `Date.parse` would read too much. */
function httpDate(value: string): string {
  if (/^[A-Z][a-z]+, .+ GMT$/.test(value)) return value
  // The form of C's `asctime`, which is GMT too.
  return /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(value) ? `${value} GMT` : ''
}

/** The headers of one limit: what remains of it, and when it resets. */
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
 * Returns how long until all exhausted limits reset, in milliseconds. `undefined` if no limit is exhausted, because the
 * reset of another limit does not explain a refusal, or if an exhausted one has no plausible time.
 *
 * It can be longer than necessary: a limit that refills steadily admits requests before it is full.
 * Of OpenAI and those who follow it (Groq, Azure): `x-ratelimit-remaining-*` and `x-ratelimit-reset-*`, such as `6m0s`;
 * of Cerebras the same by day and minute, in seconds; of routers such as OpenRouter without a name; of Anthropic `anthropic-ratelimit-*-remaining` and `-reset`, a
 * date.
 */
function exhaustedMs(headers: UpstreamResponse['headers'], now: () => number): number | undefined {
  let longest: number | undefined
  for (const [remaining, reset] of limits) {
    if (decimalOf(headers.get(remaining)) !== 0) continue
    const ms = plausibleWait(untilReset(headers.get(reset) ?? '', now))
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

const dayMs = 86_400_000

/** Returns a wait from 0 to a day, in milliseconds. */
function plausibleWait(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 && ms <= dayMs ? ms : undefined
}

/** A number from 0, written with digits. */
function decimalOf(value: string | null): number | undefined {
  return value !== null && /^\s*\d{1,15}(\.\d{1,15})?\s*$/.test(value) ? Number(value) : undefined
}

/** How long it is until a date, in milliseconds: 0 where it has gone by. */
function momentOf(date: string, now: () => number): number | undefined {
  const at = Date.parse(date)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now())
}
