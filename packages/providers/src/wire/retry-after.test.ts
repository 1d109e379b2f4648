import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retryAfterMs, statedWaitMs } from './retry-after.ts'

const at = Date.UTC(2028, 0, 15)
const now = () => at
const waitOf = (headers: Record<string, string>) =>
  // Not as `Headers`, which takes fewer values than a transport may hand over.
  retryAfterMs({ get: name => headers[name] ?? null }, now)
const after = (value: string) => waitOf({ 'retry-after': value })

/** Milliseconds from now as Go writes them. */
function duration(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor(ms / 60_000) % 60
  const seconds = `${(ms % 60_000) / 1000}s`
  return hours > 0 ? `${hours}h${minutes}m${seconds}` : minutes > 0 ? `${minutes}m${seconds}` : seconds
}

describe('retry-after', () => {
  it.each([
    ['0.25', 250],
    ['0', 0],
    ['86400', 86_400_000],
    ['Sat Jan 15 00:00:10 2028', 10_000],
    ['Saturday, 15-Jan-28 00:00:10 GMT', 10_000],
    ['Fri, 14 Jan 2028 23:59:50 GMT', 0],
  ])('%s is a time to wait', (value, ms) => {
    expect(after(value)).toBe(ms)
  })

  it.each([
    ['with a unit', '7s'],
    ['that two proxies told', '7, 9'],
    ['below 0', '-7'],
    ['beyond a day', '86401'],
    ['beyond a day, as a date', 'Sun, 16 Jan 2028 00:00:01 GMT'],
    ['with a zone of its own', 'Sat, 15 Jan 2028 00:00:10 GMT+0200'],
    ['of asctime with a zone', 'Sat Jan 15 00:00:10 2028 +0200'],
    ['with words around it', 'not before Sat, 15 Jan 2028 00:00:10 GMT'],
    ['of asctime with words around it', 'not before Sat Jan 15 00:00:10 2028'],
  ])('a time %s makes no sense: %s', (_, value) => {
    expect(after(value)).toBeUndefined()
  })

  it('in milliseconds stands before that in seconds, where it makes sense', () => {
    expect(waitOf({ 'retry-after-ms': '1500', 'retry-after': '9' })).toBe(1_500)
    expect(waitOf({ 'retry-after-ms': '86400001', 'retry-after': '9' })).toBe(9_000)
    expect(waitOf({ 'retry-after-ms': '-1', 'retry-after': '9' })).toBe(9_000)
  })
})

describe('the limit that is used up', () => {
  const openai = (requests: readonly string[], tokens: readonly string[] = []) => {
    const [leftRequests = '', resetRequests = ''] = requests
    const [leftTokens = '', resetTokens = ''] = tokens
    return waitOf({
      'x-ratelimit-remaining-requests': leftRequests,
      'x-ratelimit-reset-requests': resetRequests,
      'x-ratelimit-remaining-tokens': leftTokens,
      'x-ratelimit-reset-tokens': resetTokens,
    })
  }

  it.each([
    ['1m30.5s', 90_500],
    ['6m0s', 360_000],
    ['250ms', 250],
    ['8.64s', 8_640],
    ['1h0m0s', 3_600_000],
    ['24h', 86_400_000],
    ['0s', 0],
    ['500µs', 0.5],
    ['60', 60_000],
    [`${at / 1000 + 12}`, 12_000],
    [`${at + 1_200}`, 1_200],
    [`${at - 1_200}`, 0],
    ['2028-01-15T00:00:03Z', 3_000],
    ['2028-01-15T02:00:03.5+02:00', 3_500],
  ])('is full again after %s', (reset, ms) => {
    expect(openai(['0', reset])).toBe(ms)
    expect(waitOf({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })).toBe(ms)
  })

  it.each([
    '',
    'soon',
    '-1m',
    '+1m',
    '1 m',
    '1m,2m',
    'm',
    '5d',
    '1e3s',
    '0x10',
    'Infinity',
    'NaN',
    '24h0m1s',
    '86401',
    `${at / 1000 + 86_401}`,
    `${at + 86_400_001}`,
    '2028-01-16T00:00:01Z',
    '2028-01-15T00:00:03',
    '2028-13-15T00:00:03Z',
    '9'.repeat(400),
    `${'1h'.repeat(40_000)}!`,
  ])('says nothing by a time that makes no sense: %s', reset => {
    expect(openai(['0', reset])).toBeUndefined()
  })

  it('is asked for only where the vendor told no wait', () => {
    const exhausted = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m' }
    expect(waitOf({ ...exhausted, 'retry-after': '2' })).toBe(2_000)
    expect(waitOf({ ...exhausted, 'retry-after': 'soon' })).toBe(60_000)
  })

  it('is no limit that has room, nor one of which nobody says what is left', () => {
    expect(openai(['1', '6m0s'], ['149984', '20ms'])).toBeUndefined()
    expect(openai(['', '6m0s'])).toBeUndefined()
    expect(openai(['-1', '6m0s'])).toBeUndefined()
    expect(openai(['7', '6m0s'], ['0', '20ms'])).toBe(20)
  })

  it('of several is the one that takes longest; where one does not say, nobody knows', () => {
    expect(openai(['0', '6m0s'], ['0', '20ms'])).toBe(360_000)
    expect(openai(['0', 'soon'], ['0', '20ms'])).toBeUndefined()
  })

  it('is told of by Cerebras for a day or a minute, in seconds', () => {
    const limits = {
      'x-ratelimit-remaining-requests-day': '7',
      'x-ratelimit-reset-requests-day': '33011.382867',
    }
    const minute = { 'x-ratelimit-remaining-tokens-minute': '0', 'x-ratelimit-reset-tokens-minute': '11.5' }
    expect(waitOf({ ...limits, ...minute })).toBe(11_500)
  })

  it('is told of by Anthropic as a date', () => {
    expect(
      waitOf({
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2028-01-15T00:01:00Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2028-01-15T00:00:07Z',
      }),
    ).toBe(7_000)
  })
})

describe('a time to wait, in any form', () => {
  const names = ['retry-after', 'retry-after-ms', 'x-ratelimit-reset', 'x-ratelimit-reset-tokens']
  const values = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[-+]?[\d.]{0,20}(h|m|s|ms)?[\d.]{0,5}(s|ms)?$/),
    fc.double().map(String),
    fc.bigInt().map(String),
    fc.date({ noInvalidDate: true }).map(date => date.toUTCString()),
    fc.date({ noInvalidDate: true }).map(date => date.toISOString()),
  )

  it('is nothing, or from 0 to a day, whatever a vendor sends', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), values), given => {
        const ms = waitOf({ ...given, 'x-ratelimit-remaining': '0', 'x-ratelimit-remaining-tokens': '0' })
        expect(ms === undefined || (ms >= 0 && ms <= 86_400_000), `${ms}`).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is the same in every form', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 86_400 }), seconds => {
        const ms = seconds * 1000
        const then = new Date(at + ms)
        const reset = (value: string) => waitOf({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': value })
        const forms = [
          after(`${seconds}`),
          after(then.toUTCString()),
          waitOf({ 'retry-after-ms': `${ms}` }),
          reset(`${seconds}`),
          reset(`${seconds}s`),
          reset(`${at / 1000 + seconds}`),
          reset(`${at + ms}`),
          reset(then.toISOString()),
        ]
        expect(new Set(forms)).toEqual(new Set([ms]))
      }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 86_400_000 }), ms => {
        const told = waitOf({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': duration(ms) })
        expect(told).toBeCloseTo(ms, 3)
      }),
    )
  })
})

describe('a message', () => {
  it.each([
    ['Rate limit reached for m. Please try again in 1s.', 1_000],
    ['Please try again in 11.054s. Visit the page of limits.', 11_054],
    ['Please try again in 1m30s, or later', 90_000],
    ['please try again in 250ms', 250],
  ])('states a wait: %s', (message, ms) => {
    expect(statedWaitMs(message)).toBe(ms)
  })

  it.each([
    'Please try again later.',
    'Try again in 5 minutes.',
    'try again in 1.2.3s',
    'try again in 48h',
    '',
  ])('states none: %s', message => {
    expect(statedWaitMs(message)).toBeUndefined()
  })
})
