import { describe, expect, it } from 'vitest'
import { Scheduler } from './scheduler.ts'

const startAt = Date.UTC(2026, 0, 1)

describe('Scheduler', () => {
  it('runs events by time, then in the order in which they were set', async () => {
    const scheduler = new Scheduler(startAt)
    const ran: string[] = []
    const note = (name: string) => () => ran.push(`${name} at ${scheduler.now}`)
    scheduler.after(5, note('b'))
    scheduler.after(5, note('c'))
    scheduler.after(2.5, () => {
      note('a')()
      scheduler.after(2.5, note('d'))
    })
    await scheduler.runFor(10)
    expect(ran).toEqual(['a at 2.5', 'b at 5', 'c at 5', 'd at 5'])
    expect(scheduler.now).toBe(10)
    expect(scheduler.clock.now()).toBe(startAt + 10)
    expect(scheduler.clock.monotonic()).toBe(10)
  })

  it('settles all promises between two events', async () => {
    const scheduler = new Scheduler(startAt)
    const ran: string[] = []
    scheduler.after(1, async () => {
      for (let turn = 0; turn < 100; turn++) await undefined
      await new Promise<void>(resolve => process.nextTick(resolve))
      ran.push('first')
    })
    scheduler.after(1, () => ran.push('second'))
    await scheduler.runFor(2)
    expect(ran).toEqual(['first', 'second'])
  })

  it('runs no event that was cancelled, however many are', async () => {
    const scheduler = new Scheduler(startAt)
    let ran = 0
    const timers = Array.from({ length: 10_000 }, (_, index) =>
      scheduler.clock.setTimer(index % 100, () => {
        ran++
      }),
    )
    timers.forEach((timer, index) => {
      if (index % 10 !== 0) timer.cancel()
    })
    await scheduler.runFor(200)
    expect(ran).toBe(1_000)
    for (const timer of timers) timer.unref().cancel()
    await scheduler.runFor(1)
    expect(ran).toBe(1_000)
  })

  it('rejects when it waits for something that is not on its clock', async () => {
    const scheduler = new Scheduler(startAt)
    await expect(scheduler.runUntil(() => false)).rejects.toThrow('real I/O')
  })
})
