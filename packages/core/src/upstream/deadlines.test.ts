import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../test/support/manual-clock.ts'
import { systemClock } from '../clock/clock.ts'
import type { UpstreamError } from '../errors/upstream-error.ts'
import { Deadlines } from './deadlines.ts'

const timeouts = { connectMs: 1_000, firstByteMs: 40, responseMs: 40, idleMs: 40, totalMs: 1_000 }

function watching(totalMs = 10_000, more: Partial<typeof timeouts> = {}) {
  const clock = new ManualClock()
  const state: { error?: UpstreamError; expiredAt?: number } = {}
  const deadlines = new Deadlines({ ...timeouts, ...more }, totalMs, clock, error => {
    state.error = error
    state.expiredAt = clock.now()
  })
  return { deadlines, state, clock }
}

describe('Deadlines', () => {
  it('gives up on a first byte that does not come', async () => {
    const { deadlines, state, clock } = watching()
    deadlines.begin()
    deadlines.start(true)
    await clock.pass(40)
    expect(state.error).toMatchObject({
      kind: 'first_byte_timeout',
      message: 'The upstream sent nothing for 40 ms (timeouts.firstByteMs).',
    })
  })

  it('gives up on a read that brings nothing', async () => {
    const { deadlines, state, clock } = watching()
    deadlines.begin()
    deadlines.start(true)
    deadlines.answered()
    deadlines.waiting()
    await clock.pass(40)
    expect(state.error).toMatchObject({
      kind: 'idle_timeout',
      message: 'The upstream sent nothing for 40 ms (timeouts.idleMs).',
    })
  })

  it.each<[string, (deadlines: Deadlines) => void]>([
    ['the head does not come', () => {}],
    [
      'the body does not begin',
      deadlines => {
        deadlines.answered()
        deadlines.waiting()
      },
    ],
  ])('gives up on a non-streamed answer where %s, after responseMs', async (_, then) => {
    const { deadlines, state, clock } = watching(10_000, { firstByteMs: 10, idleMs: 10, responseMs: 60 })
    deadlines.begin()
    deadlines.start(false)
    then(deadlines)
    await clock.pass(1_000)
    expect(state.error).toMatchObject({
      kind: 'response_timeout',
      message: 'The answer was not complete after 60 ms (timeouts.responseMs).',
    })
    expect(state.expiredAt).toBe(60)
  })

  it('does not wait longer than responseMs where firstByteMs is longer', async () => {
    const { deadlines, state, clock } = watching(10_000, {
      firstByteMs: 5_000,
      idleMs: 5_000,
      responseMs: 40,
    })
    deadlines.begin()
    deadlines.start(false)
    await clock.pass(40)
    expect(state.error?.kind).toBe('response_timeout')
  })

  it('gives up on a non-streamed answer that stops after it has begun, after idleMs', async () => {
    const { deadlines, state, clock } = watching(10_000, { responseMs: 5_000 })
    deadlines.begin()
    deadlines.start(false)
    deadlines.answered()
    deadlines.waiting()
    deadlines.received()
    deadlines.waiting()
    await clock.pass(40)
    expect(state.error?.kind).toBe('idle_timeout')
  })

  it('gives up on all of it at the total deadline, also before the call has begun', async () => {
    const { deadlines, state, clock } = watching(10)
    deadlines.begin()
    await clock.pass(10)
    expect(state.error).toMatchObject({
      kind: 'total_timeout',
      message: expect.stringContaining('(timeouts.totalMs)'),
    })
  })

  it('does not count the time in which nobody reads', async () => {
    const { deadlines, state, clock } = watching()
    deadlines.begin()
    deadlines.start(true)
    deadlines.answered()
    deadlines.waiting()
    deadlines.received()
    await clock.pass(100)
    expect(state.error).toBeUndefined()
    deadlines.waiting()
    await clock.pass(40)
    expect(state.error?.kind).toBe('idle_timeout')
  })

  it('is silent once stopped', async () => {
    const { deadlines, state, clock } = watching(20)
    deadlines.begin()
    deadlines.start(true)
    deadlines.stop()
    await clock.pass(60)
    expect(state.error).toBeUndefined()
    expect(clock.pending).toBe(0)
  })

  it('does not wait the longer deadline out for the shorter one', async () => {
    const { deadlines, state, clock } = watching(10_000, { firstByteMs: 5_000 })
    deadlines.begin()
    deadlines.start(true)
    deadlines.answered()
    deadlines.waiting()
    await clock.pass(40)
    expect(state.error?.kind).toBe('idle_timeout')
  })

  it('does not hold a pause of its own process against the upstream', async () => {
    const expired: UpstreamError[] = []
    const deadlines = new Deadlines(timeouts, systemClock.monotonic() + 10_000, systemClock, error =>
      expired.push(error),
    )
    deadlines.begin()
    deadlines.start(true)
    deadlines.answered()
    deadlines.waiting()
    setTimeout(() => {
      deadlines.received()
      deadlines.waiting()
    }, 30)
    const until = performance.now() + 400
    while (performance.now() < until);
    await new Promise(resolve => setTimeout(resolve, 5))
    expect(expired).toEqual([])
    deadlines.stop()
  })
})
