import { afterAll, beforeAll, expect, vi } from 'vitest'

const warnings: string[] = []
const heard = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}`)

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
