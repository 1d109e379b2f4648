import { relative } from 'node:path'
import { type Command, CommandFault } from '../command.ts'
import type { TypedConfig } from '../config/config.ts'
import { summaryOf } from '../config/config-summary.ts'
import { ConfigFaults } from '../config/issues/invalid-config-error.ts'
import { loadConfig } from '../config/load-config.ts'
import { listedPrices } from '../service/load-prices.ts'
import { openTelemetryPackages } from '../service/open-telemetry.ts'

/** `sluice check`. */
export const check: Command = {
  name: 'check',
  summary: 'tells every fault of a configuration, without serving it',
  help: `
Usage: sluice check [FILE] [options]

  FILE              the configuration. Default: sluice.config.{ts,mts,js,mjs,json,yaml,yml} of this folder
  --config FILE     the same
  --json            prints { "ok": true, "models": [...] } or { "ok": false, "faults": [...] }

The packages that the configuration needs have to be installed. Nothing is opened or asked: no database, no vendor. Exits
with 1 where there is a fault.

Example: sluice check gateway.yaml`,
  options: { json: { type: 'boolean' }, config: { type: 'string' } },
  async run(values, positionals, world) {
    const named = typeof values.config === 'string' ? [values.config] : []
    const [path, more] = [...positionals, ...named]
    if (more !== undefined)
      throw new CommandFault(`check: got '${path}' and '${more}', expected one file.`, 2)
    const json = values.json === true
    try {
      const { config, file } = await loadConfig(path, world)
      await checkPackages(config, world.cwd)
      const name = relative(world.cwd, file)
      if (json) world.print(JSON.stringify({ ok: true, file: name, models: Object.keys(config.models) }))
      else world.print(`${name} has no fault.\n${summaryOf(config)}`)
      return 0
    } catch (error) {
      if (!json || !(error instanceof CommandFault)) throw error
      const faults = error instanceof ConfigFaults ? error.faults : [{ path: '', problem: error.message }]
      world.print(JSON.stringify({ ok: false, faults }))
      return 1
    }
  },
}

/**
 * Looks for the packages that a configuration needs to be served and that a project installs itself. Nothing is started.
 * Rejects with `CommandFault` for those that are not installed.
 */
export async function checkPackages(config: TypedConfig, folder: string): Promise<void> {
  await listedPrices(config, folder)
  if (config.telemetry?.openTelemetry) await openTelemetryPackages(folder)
}
