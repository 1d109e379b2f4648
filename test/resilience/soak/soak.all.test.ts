import { expect, it } from 'vitest'
import { figuresOf, soundness } from './figures.ts'
import { quickPlan } from './plan.ts'
import { runSoak } from './run-soak.ts'

// A slice of `pnpm soak`: what has to hold on any machine, however slow.

it('leaves nothing behind, and one record of each request', async () => {
  const result = await runSoak(quickPlan, () => {})
  expect(result.failures).toEqual([])
  expect(result.alarms).toEqual([])
  expect(result.books.faults).toEqual([])
  expect(soundness(result).filter(({ met }) => met !== true)).toEqual([])
  expect(result.aborts.map(({ spread }) => spread.count)).toEqual(result.aborts.map(() => quickPlan.aborts))
  expect(result.memory.length).toBeGreaterThan(1)
  expect(figuresOf(result).length).toBeGreaterThan(20)
})
