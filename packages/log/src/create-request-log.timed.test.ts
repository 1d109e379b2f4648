import { expect, it, onTestFinished, vi } from 'vitest'
import { createRequestLog } from './create-request-log.ts'
import { ended } from './fake-end-event.ts'
import { inMemoryRequestLog } from './in-memory-request-log.ts'

it('does nothing on the path of a request but to keep the event, and takes less than 10 microseconds', () => {
  const insert = vi.fn(async () => {})
  const log = createRequestLog({ repository: { ...inMemoryRequestLog(), insert }, maxPending: 200_000 })
  onTestFinished(() => log.close())
  const events = Array.from({ length: 50_000 }, () => ended())
  const started = performance.now()
  for (const event of events) log.observe(event)
  const each = ((performance.now() - started) / events.length) * 1_000
  expect(insert).not.toHaveBeenCalled()
  expect(log.stats()).toEqual({ written: 0, lost: 0, pending: 50_000 })
  expect(each).toBeLessThan(10)
})
