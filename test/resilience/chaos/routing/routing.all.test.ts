import { expect, it } from 'vitest'
import { routingFigures } from './routing-figures.ts'
import { quickRoutingPlan } from './routing-plan.ts'
import { runRouting } from './run-routing.ts'

// A slice of `pnpm chaos routing`.

it('goes on while its upstreams fail and recover', async () => {
  const logs = await runRouting(quickRoutingPlan, () => {})
  const missed = routingFigures(logs).filter(({ met }) => met === false)
  expect(missed).toEqual([])
  // All of it came to pass.
  const statuses = new Set(logs.throughGateway.map(({ status }) => status))
  expect([...statuses]).toEqual(expect.arrayContaining([200, 503]))
})
