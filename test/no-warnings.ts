import { afterAll, beforeAll, expect } from 'vitest'

const warnings: string[] = []
const heard = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}`)

// A leak of listeners, an ignored rejection, a deprecated call: whatever the process warns of fails the file.
beforeAll(() => {
  process.on('warning', heard)
})

afterAll(async () => {
  // A warning is emitted in the next tick.
  await new Promise(resolve => setImmediate(resolve))
  process.off('warning', heard)
  expect(warnings).toEqual([])
})
