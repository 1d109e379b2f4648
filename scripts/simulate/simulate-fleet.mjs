// Simulates a fleet, checks every invariant, and prints JSON: `node scripts/simulate/simulate-fleet.mjs REQUESTS GATEWAYS [SEED] [shrink]`.
// Exits with 1 if an invariant does not hold.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, run } from '../run.mjs'
import { bundleFleet, nodeOptions } from './bundle-fleet.mjs'

const folder = mkdtempSync(join(tmpdir(), 'sluice-simulation-'))
try {
  const script = join(folder, 'fleet.mjs')
  await bundleFleet(root, script)
  run(process.execPath, [...nodeOptions, ...process.execArgv, script, ...process.argv.slice(2)])
} catch (error) {
  process.exitCode = 1
  if (!/ended with/.test(error.message)) throw error
} finally {
  rmSync(folder, { recursive: true, force: true })
}
