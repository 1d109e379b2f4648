import { expect, it, onTestFinished } from 'vitest'
import { createRequestLog } from './create-request-log.ts'
import { ended } from './fake-end-event.ts'
import { inMemoryRequestLog } from './in-memory-request-log.ts'

it('takes less than 10 microseconds on the path of a request', () => {
  const log = createRequestLog({ repository: inMemoryRequestLog(), maxPending: 200_000 })
  onTestFinished(() => log.close())
  const events = Array.from({ length: 50_000 }, () => ended())
  const started = performance.now()
  for (const event of events) log.observe(event)
  expect(log.stats()).toEqual({ written: 0, lost: 0, pending: 50_000 })
  expect(((performance.now() - started) / events.length) * 1_000).toBeLessThan(10)
})
