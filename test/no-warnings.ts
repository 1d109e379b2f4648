import { afterAll, beforeAll, expect, vi } from 'vitest'

const warnings: string[] = []
// Node says so when its own SQLite is first used, however well that works. Observers of tests fail on purpose.
const isExpected = (warning: Error) =>
  (warning.name === 'ExperimentalWarning' && /SQLite/.test(warning.message)) ||
  ('code' in warning && warning.code === 'SLUICE_OBSERVER_FAILED')
const heard = (warning: Error) => isExpected(warning) || warnings.push(`${warning.name}: ${warning.message}`)

// A leak of listeners, an ignored rejection, a deprecated call: whatever the process warns of fails the file.
beforeAll(() => {
  warnings.length = 0
  process.on('warning', heard)
})

afterAll(async () => {
  // The next file in this process has a clock of its own.
  expect(vi.isFakeTimers()).toBe(false)
  // A warning is emitted in the next tick.
  await new Promise(resolve => setImmediate(resolve))
  process.off('warning', heard)
  expect(warnings).toEqual([])
})
