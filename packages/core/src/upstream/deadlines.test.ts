import { describe, expect, it } from 'vitest'
import type { UpstreamError } from '../errors/upstream-error.ts'
import { Deadlines } from './deadlines.ts'

const timeouts = { connectMs: 1_000, firstByteMs: 40, responseMs: 40, idleMs: 40, totalMs: 1_000 }

function watching(totalMs = 10_000, more: Partial<typeof timeouts> = {}) {
  let expire: ((error: UpstreamError) => void) | undefined
  const expired = new Promise<UpstreamError>(resolve => {
    expire = resolve
  })
  const clock = () => performance.now()
  const deadlines = new Deadlines({ ...timeouts, ...more }, clock() + totalMs, clock, error =>
    expire?.(error),
  )
  const state = { expired: false }
  void expired.then(() => {
    state.expired = true
  })
  return { deadlines, expired, state }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

describe('Deadlines', () => {
  it('gives up on a first byte that does not come', async () => {
    const { deadlines, expired } = watching()
    deadlines.begin()
    deadlines.start(true)
    expect(await expired).toMatchObject({
      kind: 'first_byte_timeout',
      message: 'The upstream sent nothing for 40 ms (timeouts.firstByteMs).',
    })
  })

  it('gives up on a read that brings nothing', async () => {
    const { deadlines, expired } = watching()
    deadlines.begin()
    deadlines.start(true)
    deadlines.answered()
    deadlines.waiting()
    expect(await expired).toMatchObject({
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
    const { deadlines, expired } = watching(10_000, { firstByteMs: 10, idleMs: 10, responseMs: 60 })
    const before = performance.now()
    deadlines.begin()
    deadlines.start(false)
    then(deadlines)
    expect(await expired).toMatchObject({
      kind: 'response_timeout',
      message: 'The answer was not complete after 60 ms (timeouts.responseMs).',
    })
    expect(performance.now() - before).toBeGreaterThanOrEqual(58)
  })

  it('does not wait longer than responseMs where firstByteMs is longer', async () => {
    const { deadlines, expired } = watching(10_000, { firstByteMs: 5_000, idleMs: 5_000, responseMs: 40 })
    const before = performance.now()
    deadlines.begin()
    deadlines.start(false)
    expect((await expired).kind).toBe('response_timeout')
    expect(performance.now() - before).toBeLessThan(2_000)
  })

  it('gives up on a non-streamed answer that stops after it has begun, after idleMs', async () => {
    const { deadlines, expired } = watching(10_000, { responseMs: 5_000 })
    deadlines.begin()
    deadlines.start(false)
    deadlines.answered()
    deadlines.waiting()
    deadlines.received()
    deadlines.waiting()
    expect((await expired).kind).toBe('idle_timeout')
  })

  it('gives up on all of it at the total deadline, also before the call has begun', async () => {
    const { deadlines, expired } = watching(10)
    deadlines.begin()
    expect(await expired).toMatchObject({
      kind: 'total_timeout',
      message: expect.stringContaining('(timeouts.totalMs)'),
    })
  })

  it('does not count the time in which nobody reads', async () => {
    const { deadlines, state, expired } = watching()
    deadlines.begin()
    deadlines.start(true)
    deadlines.answered()
    deadlines.waiting()
    deadlines.received()
    await pause(100)
    expect(state.expired).toBe(false)
    deadlines.waiting()
    expect((await expired).kind).toBe('idle_timeout')
  })

  it('is silent once stopped', async () => {
    const { deadlines, state } = watching(20)
    deadlines.begin()
    deadlines.start(true)
    deadlines.stop()
    await pause(60)
    expect(state.expired).toBe(false)
  })

  it('does not wait the longer deadline out for the shorter one', async () => {
    const { deadlines, expired } = watching(10_000, { firstByteMs: 5_000 })
    deadlines.begin()
    deadlines.start(true)
    deadlines.answered()
    deadlines.waiting()
    const before = performance.now()
    expect((await expired).kind).toBe('idle_timeout')
    expect(performance.now() - before).toBeLessThan(2_000)
  })

  it('does not hold a pause of its own process against the upstream', async () => {
    const { deadlines, state } = watching()
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
    await pause(5)
    expect(state.expired).toBe(false)
    deadlines.stop()
  })
})
