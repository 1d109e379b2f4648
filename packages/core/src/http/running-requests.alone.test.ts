import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../test/support/manual-clock.ts'
import { oldBytesOver } from '../../test/support/old-memory.ts'
import type { DisconnectSource } from '../contracts/host.ts'
import { Lifetime } from './lifetime.ts'
import { RunningRequests } from './running-requests.ts'

/** Requests, which end as soon as their lives do. */
function running(count: number) {
  const clock = new ManualClock()
  const requests = new RunningRequests(clock)
  const ended: number[] = []
  const begin = () => {
    const lifetime = new Lifetime(new AbortController().signal)
    requests.add(lifetime)
    lifetime.onEnd(() => {
      ended.push(clock.now())
      requests.delete(lifetime)
    })
    return lifetime
  }
  const lives = Array.from({ length: count }, begin)
  return { clock, requests, ended, lives, begin }
}

describe('RunningRequests', () => {
  it('is drained at once where none runs, and when the last one has ended', async () => {
    const { clock, requests, lives } = running(2)
    await new RunningRequests(clock).drain(1_000)
    let drained = false
    const draining = requests.drain(1_000).then(() => {
      drained = true
    })
    lives[0]!.end('client_disconnected')
    await clock.pass(10)
    expect(drained).toBe(false)
    lives[1]!.end('client_disconnected')
    await draining
    expect(clock.pending).toBe(0)
  })

  it.each([
    [1_000, 50, 50],
    [50, 1_000, 50],
    [Number.POSITIVE_INFINITY, 50, 50],
    [2 ** 40, 50, 50],
    [1_000, 0, 0],
  ])('ends all after the shorter of %d and %d milliseconds', async (first, second, after) => {
    const { clock, requests, ended } = running(2)
    const draining = [requests.drain(first), requests.drain(second)]
    await clock.pass(after)
    await Promise.all(draining)
    expect(ended).toEqual([after, after])
    expect(clock.pending).toBe(0)
  })

  it('waits again for what has begun since, and ends it by the time that was asked for first', async () => {
    const { clock, requests, begin, ended } = running(0)
    await requests.drain(50)
    begin()
    const draining = requests.drain(1_000)
    await clock.pass(50)
    await draining
    begin()
    const again = requests.drain(1_000)
    await clock.pass(0)
    await again
    expect(ended).toEqual([50, 50])
  })

  it('counts those that run, in whatever order they end', () => {
    const { requests, lives } = running(5)
    for (const [nth, at] of [2, 0, 4, 3, 1].entries()) {
      lives[at]!.end('client_disconnected')
      expect(requests.size).toBe(4 - nth)
    }
  })

  it('takes out none but the one that ends, though it be told twice, and none of others', () => {
    const { requests, lives } = running(3)
    const others = running(3)
    requests.delete(lives[0]!)
    requests.delete(lives[0]!)
    requests.delete(new Lifetime(new AbortController().signal))
    requests.delete(others.lives[1]!)
    expect([requests.size, others.requests.size]).toEqual([2, 3])
    for (const life of lives) requests.delete(life)
    expect(requests.size).toBe(0)
  })

  it('leaves nothing of those that have ended to be found by a full collection alone', () => {
    const requests = new RunningRequests(new ManualClock())
    const under = Array.from({ length: 32 }, () => begun(requests))
    const grown = oldBytesOver(6_400, nth => {
      requests.delete(under[nth % under.length]!)
      under[nth % under.length] = begun(requests)
    })
    // They held 52 MB.
    expect(grown).toBeLessThan(5_000_000)
  })
})

/** A request that holds 8 kB. Its client has no signal: the engine keeps those itself. */
function begun(requests: RunningRequests): Lifetime {
  const lifetime = new Lifetime({
    left: false,
    onDisconnect() {},
    offDisconnect() {},
  } as unknown as DisconnectSource)
  Object.assign(lifetime, { held: new Array<number>(1_000).fill(0.5) })
  requests.add(lifetime)
  return lifetime
}
