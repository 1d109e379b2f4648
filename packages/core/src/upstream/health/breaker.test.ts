import { describe, expect, it } from 'vitest'
import type { BreakerOptions } from '../../contracts/call-options.ts'
import { Breaker } from './breaker.ts'

const options: BreakerOptions = {
  failures: 3,
  errorRate: 0.5,
  minCalls: 10,
  windowMs: 10_000,
  openMs: 1_000,
  maxOpenMs: 5_000,
  cooldownMs: 1_000,
}
const middle = () => 0.5

function opened(at = 0): Breaker {
  const breaker = new Breaker()
  for (let index = 0; index < 3; index++) breaker.failed(breaker.generation, at, options, middle)
  return breaker
}

describe('Breaker', () => {
  it('opens at failures one after another, not at so many with a success between', () => {
    const breaker = new Breaker()
    for (let round = 0; round < 3; round++) {
      breaker.failed(0, 0, options, middle)
      breaker.failed(0, 0, options, middle)
      breaker.succeeded(0, 0, options)
    }
    expect(breaker.state(0)).toBe('closed')
    for (let index = 0; index < 3; index++) breaker.failed(0, 0, options, middle)
    expect(breaker.state(0)).toBe('open')
    expect(breaker.waitMs(0)).toBe(1_000)
  })

  it('opens at a share of failures among enough calls within the window', () => {
    const breaker = new Breaker()
    const half = (now: number) => {
      breaker.succeeded(breaker.generation, now, options)
      breaker.failed(breaker.generation, now, options, middle)
    }
    for (let index = 0; index < 4; index++) half(0)
    expect(breaker.state(0)).toBe('closed')
    // Those are forgotten.
    for (let index = 0; index < 4; index++) half(20_000)
    expect(breaker.state(20_000)).toBe('closed')
    half(20_000)
    expect(breaker.state(20_000)).toBe('open')
  })

  it('waits twice as long after each probe that fails, up to its bound, give or take a fifth', () => {
    const breaker = opened()
    const waits: number[] = []
    let now = 0
    for (const random of [() => 0, () => 0.5, () => 0.999_999, () => 0.5]) {
      now += breaker.waitMs(now)
      expect(breaker.state(now)).toBe('half_open')
      breaker.probe(now)
      breaker.failed(breaker.generation, now, options, random)
      waits.push(Math.round(breaker.waitMs(now)))
    }
    expect(waits).toEqual([1_600, 4_000, 5_000, 5_000])
  })

  it('begins with the first wait again after it was closed', () => {
    const breaker = opened()
    breaker.probe(1_000)
    breaker.failed(breaker.generation, 1_000, options, middle)
    breaker.probe(3_000)
    breaker.succeeded(breaker.generation, 3_000, options)
    expect(breaker.state(3_000)).toBe('closed')
    for (let index = 0; index < 3; index++) breaker.failed(breaker.generation, 3_000, options, middle)
    expect(breaker.waitMs(3_000)).toBe(1_000)
  })

  it('hears nothing of calls of an older generation', () => {
    const breaker = opened()
    breaker.succeeded(0, 10, options)
    breaker.failed(0, 10, options, middle)
    breaker.releaseProbe(0)
    expect(breaker.waitMs(10)).toBe(990)
    breaker.probe(1_000)
    breaker.succeeded(0, 1_000, options)
    breaker.releaseProbe(0)
    expect(breaker.state(1_000)).toBe('half_open')
    expect(breaker.waitMs(1_000)).toBeGreaterThan(0)
    breaker.succeeded(breaker.generation, 1_001, options)
    for (let index = 0; index < 10; index++) breaker.failed(0, 1_002, options, middle)
    expect(breaker.state(1_002)).toBe('closed')
  })

  it('does not take a success of an older generation for an end of failures', () => {
    const breaker = opened()
    breaker.probe(1_000)
    breaker.succeeded(breaker.generation, 1_000, options)
    for (let index = 0; index < 3; index++) {
      breaker.failed(breaker.generation, 1_000, options, middle)
      breaker.succeeded(0, 1_000, options)
    }
    expect(breaker.state(1_000)).toBe('open')
  })

  it('closes when a probe begins to answer; that it breaks off later is one failure', () => {
    const breaker = opened()
    breaker.probe(1_000)
    const judged = breaker.answered(breaker.generation, 1_000)
    expect(breaker.state(1_000)).toBe('closed')
    for (let index = 0; index < 2; index++) breaker.failed(breaker.generation, 1_000, options, middle)
    breaker.failed(judged, 1_000, options, middle)
    expect(breaker.state(1_000)).toBe('open')
  })

  it('takes back a probe that says nothing', () => {
    const breaker = opened()
    breaker.probe(1_000)
    expect(breaker.waitMs(1_000)).toBe(1_000)
    breaker.releaseProbe(breaker.generation)
    expect(breaker.waitMs(1_000)).toBe(0)
    expect(breaker.state(1_000)).toBe('half_open')
  })

  it('makes another probe beside one that takes long, and closes at the first that answers', () => {
    const breaker = opened()
    breaker.probe(1_000)
    const slow = breaker.generation
    expect(breaker.waitMs(30_999)).toBe(1_000)
    expect(breaker.waitMs(31_000)).toBe(0)
    breaker.probe(31_000)
    const other = breaker.generation
    breaker.releaseProbe(slow)
    expect(breaker.waitMs(31_000)).toBe(1_000)
    breaker.succeeded(slow, 32_000, options)
    expect(breaker.state(32_000)).toBe('closed')
    breaker.failed(other, 33_000, options, middle)
    expect(breaker.state(33_000)).toBe('closed')
  })

  it('opens for longer where either of two probes fails, and hears no call from before', () => {
    const breaker = new Breaker()
    const before = breaker.generation
    for (let index = 0; index < 3; index++) breaker.failed(breaker.generation, 0, options, middle)
    breaker.succeeded(before, 1, options)
    breaker.probe(1_000)
    const slow = breaker.generation
    breaker.probe(31_000)
    breaker.failed(slow, 32_000, options, middle)
    expect([breaker.state(32_000), breaker.openings]).toEqual(['open', 2])
    breaker.succeeded(slow, 32_001, options)
    breaker.succeeded(before, 32_001, options)
    expect(breaker.state(32_001)).toBe('open')
  })
})
