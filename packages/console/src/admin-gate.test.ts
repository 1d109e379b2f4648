import { GatewayError } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { adminGate } from './admin-gate.ts'

const key = 'correct-horse-battery'

function setUp() {
  const clock = { now: 1_000_000 }
  const admit = adminGate(key, () => clock.now)
  /** 200, or the status of the refusal. */
  const ask = (authorization?: string) => {
    try {
      admit(new Request('http://a/', { headers: authorization === undefined ? {} : { authorization } }))
      return 200
    } catch (error) {
      if (!GatewayError.is(error)) throw error
      expect(error.message).not.toContain(key)
      return error.status
    }
  }
  return { clock, ask, admit }
}

describe('adminGate', () => {
  it('lets in the admin key, and nothing near it', () => {
    const { ask } = setUp()
    expect(ask(`Bearer ${key}`)).toBe(200)
    for (const wrong of [
      undefined,
      key,
      `Basic ${key}`,
      `Bearer ${key}x`,
      `Bearer ${key.slice(1)}`,
      'Bearer ',
      `Bearer ${'x'.repeat(10_000)}`,
      `Bearer ${key.toUpperCase()}`,
    ])
      expect(ask(wrong), String(wrong).slice(0, 50)).toBe(401)
  })

  it('refuses all keys for the rest of a minute in which 60 wrong ones came', () => {
    const { ask, clock, admit } = setUp()
    for (let guess = 0; guess < 60; guess++) expect(ask(`Bearer guess-${guess}`)).toBe(401)
    clock.now += 20_500
    expect([ask('Bearer guess'), ask(`Bearer ${key}`)]).toEqual([429, 429])
    expect(() => admit(new Request('http://a/', { headers: { authorization: `Bearer ${key}` } }))).toThrow(
      expect.objectContaining({ headers: { 'retry-after': '40' } }),
    )
    clock.now += 39_500
    expect(ask(`Bearer ${key}`)).toBe(200)
    expect(ask('Bearer guess')).toBe(401)
  })

  it('does not count who brings no key, nor the right one', () => {
    const { ask } = setUp()
    for (let time = 0; time < 200; time++) ask(time % 2 === 0 ? undefined : `Bearer ${key}`)
    expect(ask('Bearer guess')).toBe(401)
  })

  it('does not stay shut where the clock is put back', () => {
    const { ask, clock } = setUp()
    for (let guess = 0; guess < 60; guess++) ask('Bearer guess')
    clock.now -= 3_600_000
    expect(ask(`Bearer ${key}`)).toBe(200)
  })
})
