import { beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { EventLoopStallMonitor } from './event-loop-stall-monitor.ts'

/** Time that passes while timers run, and time in which they do not. */
let clock = new ManualClock()

beforeEach(() => {
  clock = new ManualClock()
})

describe('EventLoopStallMonitor', () => {
  it('says nothing of long calls while time passes as it should', async () => {
    const watch = new EventLoopStallMonitor(clock)
    watch.began(clock.now())
    await clock.pass(600_000)
    expect(watch.ended(0, clock.now())).toBe(false)
  })

  it('knows a pause before its timer does, and after', async () => {
    const watch = new EventLoopStallMonitor(clock)
    const before = clock.now()
    watch.began(before)
    watch.began(before)
    clock.stall(30_000)
    expect(watch.ended(before, clock.now())).toBe(true)
    await clock.pass(5_000)
    const after = clock.now()
    watch.began(after)
    expect(watch.ended(before, clock.now())).toBe(true)
    expect(watch.ended(after, clock.now())).toBe(false)
  })

  it('takes no notice of a second in which much was done', async () => {
    const watch = new EventLoopStallMonitor(clock)
    watch.began(clock.now())
    await clock.pass(900)
    clock.stall(1_500)
    expect(watch.ended(0, clock.now())).toBe(false)
  })

  it('excuses calls that were under way only', () => {
    const watch = new EventLoopStallMonitor(clock)
    watch.began(clock.now())
    clock.stall(10_000)
    const next = clock.now()
    watch.began(next)
    expect(watch.ended(next, clock.now())).toBe(false)
    expect(watch.ended(0, clock.now())).toBe(true)
  })

  it('has no timer while no call is under way', async () => {
    const watch = new EventLoopStallMonitor(clock)
    expect(clock.pending).toBe(0)
    watch.began(clock.now())
    expect(clock.pending).toBe(1)
    watch.ended(clock.now(), clock.now())
    await clock.pass(1_000)
    expect(clock.pending).toBe(0)
    // Nor takes the time between for a pause.
    clock.stall(100_000)
    const later = clock.now()
    watch.began(later)
    clock.stall(1_000)
    expect(watch.ended(later, clock.now())).toBe(false)
  })

  it('goes on where its timer was lost', async () => {
    const watch = new EventLoopStallMonitor(clock)
    watch.began(clock.now())
    clock.loseTimers()
    clock.stall(60_000)
    const later = clock.now()
    watch.began(later)
    await clock.pass(500)
    expect(watch.ended(later, clock.now())).toBe(false)
    expect(clock.pending).toBe(1)
  })
})
