import { describe, expect, it } from 'vitest'
import type { GatewayOptions } from './config.ts'
import { createGateway } from './gateway.ts'

const sound: GatewayOptions = { authenticate: () => ({ id: 'ann' }), route: () => [] }
const making = (options: Record<string, unknown>) => () => createGateway({ ...sound, ...options })

describe('the options retry and breaker', () => {
  it.each([
    {},
    { retry: false, breaker: false },
    { retry: {}, breaker: {} },
    { retry: undefined, breaker: { failures: undefined } },
    { retry: { budget: 0, minBudget: 0, baseMs: 1, maxMs: 1, maxRetryAfterMs: 1 } },
    { breaker: { failures: 1, errorRate: 1, minCalls: 1, windowMs: 1, openMs: 1, maxOpenMs: 1 } },
  ])('take %j', options => {
    expect(making(options)).not.toThrow()
  })

  it.each([
    ['retry', true, 'retry: got true, expected an object or false'],
    ['retry', null, 'retry: got null, expected an object or false'],
    ['breaker', 'no', "breaker: got 'no', expected an object or false"],
    ['timeouts', false, 'timeouts: got false, expected an object.$'],
    ['retry', { budget: 1.1 }, 'retry.budget: got 1.1, expected a number from 0 to 1'],
    ['retry', { budget: Number.NaN }, 'retry.budget: got NaN, expected a number from 0 to 1'],
    ['retry', { minBudget: 0.5 }, 'retry.minBudget: got 0.5, expected a whole number from 0'],
    ['retry', { minBudget: -1 }, 'retry.minBudget: got -1, expected a whole number from 0'],
    ['retry', { baseMs: 0 }, 'retry.baseMs: got 0, expected a number above 0'],
    ['retry', { maxMs: '8s' }, "retry.maxMs: got '8s', expected a number above 0"],
    ['retry', { attempts: 3 }, 'retry.attempts: got 3, expected no such option'],
    ['retry', { baseMs: 9_000 }, 'retry.baseMs: got 9000, expected at most retry.maxMs, which is 8000'],
    ['breaker', { failures: 0 }, 'breaker.failures: got 0, expected a whole number from 1'],
    ['breaker', { failures: 2.5 }, 'breaker.failures: got 2.5, expected a whole number from 1'],
    ['breaker', { errorRate: 0 }, 'breaker.errorRate: got 0, expected a number above 0, at most 1'],
    ['breaker', { errorRate: 50 }, 'breaker.errorRate: got 50, expected a number above 0, at most 1'],
    ['breaker', { minCalls: Number.POSITIVE_INFINITY }, 'breaker.minCalls: got Infinity, expected a whole'],
    ['breaker', { windowMs: -1 }, 'breaker.windowMs: got -1, expected a number above 0'],
    ['breaker', { openMs: 1e12 }, 'breaker.openMs: got 1000000000000, expected a number above 0, at most'],
    [
      'breaker',
      { maxOpenMs: 5 },
      'breaker.openMs: got 30000, expected at most breaker.maxOpenMs, which is 5',
    ],
  ])('refuse %s: %j', (name, value, told) => {
    expect(making({ [name]: value })).toThrow(new RegExp(told.replaceAll('.', '\\.')))
  })

  it('name every member that is wrong at once', () => {
    const making = () =>
      createGateway({ ...sound, retry: { budget: 2, baseMs: 9_000 }, breaker: { failures: 0, windowMs: 0 } })
    expect(making).toThrow(/retry\.budget.*breaker\.failures.*breaker\.windowMs.*retry\.baseMs/s)
  })
})
