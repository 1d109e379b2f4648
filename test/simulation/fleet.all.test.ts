import { simulate } from '@sluice/testing/simulation'
import { expect, it } from 'vitest'
import { fleetOptions, fleetParts } from './fleet.ts'
import { simulateInChildProcess } from './fleet-process.ts'

it('has the same history in every process', { timeout: 400_000 }, async () => {
  const size = { seed: 5, gateways: 10, requests: 3_000 }
  const here = await simulate(fleetOptions(size, fleetParts(size)))
  const { digest } = await simulateInChildProcess(size)
  expect(digest).toBe(here.digest)
  expect((await simulateInChildProcess(size)).digest).toBe(digest)
  expect((await simulateInChildProcess({ ...size, seed: 6 })).digest).not.toBe(digest)
})

it('holds every invariant for other seeds and fleets', { timeout: 400_000 }, async () => {
  for (const size of [
    { seed: 2, gateways: 1, requests: 5_000 },
    { seed: 3, gateways: 3, requests: 10_000 },
    { seed: 4, gateways: 50, requests: 10_000 },
  ]) {
    const { violations } = await simulateInChildProcess(size)
    expect(violations).toEqual([])
  }
})
