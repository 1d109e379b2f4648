import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SimulationReport, SimulationResult } from '@sluice/testing/simulation'
import { bundledProgram } from '../../scripts/bundle-program.mjs'
import { nodeOptions } from '../../scripts/simulate/bundle-fleet.mjs'
import type { FleetSize } from './fleet.ts'

/**
 * Simulates a fleet in a process of its own: the bundled program, with its options of Node, takes about two thirds of the time that
 * the same modules take within a test.
 */
export async function simulateInChildProcess({
  seed,
  gateways,
  requests,
}: FleetSize): Promise<SimulationResult & { readonly report: SimulationReport }> {
  const program = await bundledProgram(join(import.meta.dirname, 'run-fleet.ts'))
  const size = [requests, gateways, seed].map(String)
  const run = promisify(execFile)(process.execPath, [...nodeOptions, program, ...size])
  // With violations it exits with 1.
  const { stdout } = await run.catch((error: Error & { stdout: string }) => {
    if (error.stdout === '') throw error
    return error
  })
  return JSON.parse(stdout)
}
