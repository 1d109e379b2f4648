import { expect, it } from 'vitest'
import { simulateInChildProcess } from './fleet-process.ts'

it('holds every invariant over 10,000 requests, outages and partitions', async () => {
  const size = { seed: 1, gateways: 10, requests: 10_000 }
  const { requests, violations, report } = await simulateInChildProcess(size)
  expect(violations).toEqual([])
  expect(requests).toBe(10_000)
  // What the invariants are about has happened.
  expect(report.disconnected).toBeGreaterThan(50)
  expect(report.attempts).toBeGreaterThan(11_000)
  expect(report.rateLimited['noisy-0']).toBeGreaterThan(100)
  expect(report.completed).toBeGreaterThan(7_000)
  // A budget is used up.
  expect(report.spend).toBeGreaterThan(1)
  expect(report.rateLimited.spender).toBeGreaterThan(20)
  const primary = report.targets.find(({ provider }) => provider === 'primary')
  expect(primary?.calls.refused).toBeGreaterThan(50)
  expect(primary?.calls.unreachable).toBeGreaterThan(20)
  expect(primary?.calls.cut).toBeGreaterThan(3)
})
