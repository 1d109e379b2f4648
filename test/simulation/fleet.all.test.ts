import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { simulate } from '@sluice/testing/simulation'
import { expect, it } from 'vitest'
import { bundledProgram } from '../../scripts/bundle-program.mjs'
import { fleetOptions, fleetParts } from './fleet.ts'

/** Runs a simulation in a process of its own, and returns the digest of its history. */
async function digestOfProcess(requests: number, gateways: number, seed: number): Promise<string> {
  const main = await bundledProgram(join(import.meta.dirname, 'run-fleet.ts'))
  const numbers = [requests, gateways, seed].map(String)
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...numbers])
  return /"digest": "([0-9a-f]{64})"/.exec(stdout)![1]!
}

it('has the same history in every process', { timeout: 120_000 }, async () => {
  const size = { seed: 5, gateways: 10, requests: 3_000 }
  const here = await simulate(fleetOptions(size, fleetParts(size)))
  expect(await digestOfProcess(3_000, 10, 5)).toBe(here.digest)
  expect(await digestOfProcess(3_000, 10, 5)).toBe(here.digest)
  expect(await digestOfProcess(3_000, 10, 6)).not.toBe(here.digest)
})

it('holds every invariant for other seeds and fleets', { timeout: 180_000 }, async () => {
  for (const size of [
    { seed: 2, gateways: 1, requests: 5_000 },
    { seed: 3, gateways: 3, requests: 10_000 },
    { seed: 4, gateways: 50, requests: 10_000 },
  ]) {
    const { violations } = await simulate(fleetOptions(size, fleetParts(size)))
    expect(violations).toEqual([])
  }
})
