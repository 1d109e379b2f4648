import { expect, it } from 'vitest'
import { runStops } from './run-stops.ts'
import { quickStopPlan } from './stop-plan.ts'

// A slice of `pnpm chaos stops`.

it('a gateway that is stopped under load answers every request that was sent to it', async () => {
  const { answered, lost, refused } = await runStops(quickStopPlan)
  expect([...lost]).toEqual([])
  expect([...answered.keys()].sort()).toEqual([200, 503])
  // Each client went on until nobody listened.
  expect(refused).toBe(quickStopPlan.rounds * (quickStopPlan.keeping + quickStopPlan.connecting))
})
