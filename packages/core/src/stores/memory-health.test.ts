import { describe, expect, it } from 'vitest'
import { memoryHealth } from './memory-health.ts'

function health() {
  const clock = { now: 1_000 }
  return { clock, shared: memoryHealth(() => clock.now) }
}
const id = 'vendor/model'

describe('memoryHealth', () => {
  it('has the last state of a breaker, whose generation changes each time', async () => {
    const { clock, shared } = health()
    expect(await shared.read([id])).toEqual([undefined])
    const [first] = await shared.write([
      { id, breaker: { openings: 1, openMs: 500, openFor: 'ann', partial: true, reason: 'overloaded' } },
    ])
    clock.now += 200
    expect(await shared.read([id, 'other'])).toEqual([
      {
        generation: first,
        openings: 1,
        openMs: 300,
        openFor: 'ann',
        partial: true,
        reason: 'overloaded',
        cooldownMs: 0,
      },
      undefined,
    ])
    const [second] = await shared.write([{ id, breaker: { openings: 0, openMs: 0 } }])
    expect(second).not.toBe(first)
    expect(await shared.read([id])).toEqual([{ generation: second, openings: 0, openMs: 0, cooldownMs: 0 }])
  })

  it('keeps the longest cooldown, and makes two of single principals one for all', async () => {
    const { clock, shared } = health()
    await shared.write([
      { id, cooldownMs: 400 },
      { id, cooldownMs: 100 },
    ])
    expect(await shared.read([id])).toMatchObject([{ cooldownMs: 400 }])
    clock.now += 400
    await shared.write([{ id, pause: { principal: 'ann', ms: 300 } }])
    expect(await shared.read([id])).toMatchObject([{ cooldownMs: 0, pause: { principal: 'ann', ms: 300 } }])
    await shared.write([{ id, pause: { principal: 'bob', ms: 500 } }])
    expect(await shared.read([id])).toMatchObject([{ cooldownMs: 300, pause: { principal: 'bob', ms: 500 } }])
  })

  it('lends the probe to one holder, until it is released, expires or the breaker changes', async () => {
    const { clock, shared } = health()
    const acquire = (holder: string) => shared.acquireProbe(id, holder, 100)
    expect([await acquire('a'), await acquire('b'), await acquire('a')]).toEqual([true, false, true])
    await shared.releaseProbe(id, 'b')
    expect(await acquire('b')).toBe(false)
    await shared.releaseProbe(id, 'a')
    expect(await acquire('b')).toBe(true)
    clock.now += 100
    expect(await acquire('a')).toBe(true)
    await shared.write([{ id, breaker: { openings: 2, openMs: 10 } }])
    expect(await acquire('b')).toBe(true)
  })

  it('forgets the target that changed first of more than 10,000', async () => {
    const { shared } = health()
    for (let count = 0; count <= 10_000; count++) await shared.write([{ id: `v/${count}`, cooldownMs: 50 }])
    const [first, second] = await shared.read(['v/0', 'v/1'])
    expect([first, second?.cooldownMs]).toEqual([undefined, 50])
  })
})
