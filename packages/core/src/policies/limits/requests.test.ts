import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../errors.ts'
import { requests } from './requests.ts'

const draft = { model: 'm', body: {}, bytes: 2 }

async function refusalOf(act: () => unknown): Promise<GatewayError> {
  try {
    await act()
  } catch (error) {
    if (GatewayError.is(error)) return error
    throw error
  }
  throw new Error('it was admitted')
}

describe('requests().per()', () => {
  it('counts each principal on its own and says what is left', async () => {
    const limiter = requests(2).per('minute', { now: () => 1_000 })
    const lease = await limiter.admit({ id: 'ann' }, draft)
    expect(lease.headers).toEqual({
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '1',
      'x-ratelimit-reset-requests': '30s',
    })
    await limiter.admit({ id: 'ann' }, draft)
    const refusal = await refusalOf(() => limiter.admit({ id: 'ann' }, draft))
    expect(refusal).toMatchObject({ status: 429, type: 'requests', code: 'rate_limit_exceeded' })
    expect(refusal.headers).toMatchObject({ 'retry-after': '30', 'retry-after-ms': '30000' })
    expect(refusal.message).toContain('Please try again in 30s')
    expect((await limiter.admit({ id: 'bob' }, draft)).headers['x-ratelimit-remaining-requests']).toBe('1')
  })

  it('tells no retry-after that clients would not obey', async () => {
    const limiter = requests(1).per('day', { now: () => 0 })
    await limiter.admit({ id: 'ann' }, draft)
    const refusal = await refusalOf(() => limiter.admit({ id: 'ann' }, draft))
    expect(refusal.headers).not.toHaveProperty('retry-after')
    expect(refusal.headers['x-should-retry']).toBe('false')
    expect(refusal.headers['x-ratelimit-reset-requests']).toBe('24h0m0s')
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a limit of %s', limit => {
    expect(() => requests(limit)).toThrow(/expected a whole number from 1/)
  })

  it('refuses an unknown window', () => {
    expect(() => requests(1).per('week' as never)).toThrow(/'week'/)
  })
})
