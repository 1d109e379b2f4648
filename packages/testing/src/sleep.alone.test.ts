import { getEventListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { sendRawRequest } from './raw-request.ts'
import { sleep } from './sleep.ts'
import { reply, wait } from './steps.ts'
import { startUpstream } from './upstream.ts'

afterEach(() => void vi.useRealTimers())

it('waits its time, or until the signal aborts, and leaves no timer', async () => {
  vi.useFakeTimers()
  const stop = new AbortController()
  const woken: string[] = []
  const short = sleep(10, stop.signal).then(() => woken.push('short'))
  const long = sleep(1_000_000, stop.signal).then(() => woken.push('long'))
  await vi.advanceTimersByTimeAsync(9)
  expect(woken).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  await short
  expect(woken).toEqual(['short'])
  stop.abort()
  await long
  await sleep(1_000_000, stop.signal)
  expect(vi.getTimerCount()).toBe(0)
})

it('has one listener on its signal, however many sleep', async () => {
  const stop = new AbortController()
  const sleeping = Array.from({ length: 50 }, () => sleep(1_000_000, stop.signal))
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1)
  stop.abort()
  await Promise.all(sleeping)
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0)
})

it('lets an upstream wait on many connections at once without a warning', async () => {
  const warnings: Error[] = []
  const warned = (warning: Error) => void warnings.push(warning)
  process.on('warning', warned)
  try {
    const upstream = await startUpstream([wait(1_000_000), reply({})])
    const requests = Array.from({ length: 30 }, () => sendRawRequest({ port: upstream.port }))
    await upstream.waitForRequest(30)
    await turn()
    await upstream.close()
    await Promise.allSettled(requests)
    await turn()
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', warned)
  }
})
