import { relative } from 'node:path'
import { type Command, CommandError } from '../command.ts'
import { printable } from '../command-line/printable.ts'
import type { TypedConfig } from '../config/config.ts'
import { configSummary } from '../config/config-summary.ts'
import { InvalidConfigError } from '../config/issues/invalid-config-error.ts'
import { loadConfig } from '../config/load-config.ts'
import { loadPrices, pricesText, priceWarnings } from '../service/load-prices.ts'
import { openTelemetryPackages } from '../service/open-telemetry.ts'
import { loadStatePackages } from '../state/state-packages.ts'

/** `sluice check`. */
export const check: Command = {
  name: 'check',
  summary: 'validates a configuration, and lists all its errors',
  help: `
Usage: sluice check [FILE] [options]

  FILE              configuration to check. Default: sluice.config.{ts,mts,js,mjs,json,yaml,yml} in this folder
  --config FILE     the same
  --json            prints { "ok": true, "models": [...], "warnings": [...] } or { "ok": false, "issues": [...] }

Checks that the packages that the configuration needs are installed, and warns of budgets that reject models without a
price. Connects to no database and no vendor. Exits with 1 if there is an error.

Example: sluice check gateway.yaml`,
  options: { json: { type: 'boolean' }, config: { type: 'string' } },
  async run(values, positionals, context) {
    const named = typeof values.config === 'string' ? [values.config] : []
    const [path, more] = [...positionals, ...named]
    if (more !== undefined)
      throw new CommandError(
        `check: got '${printable(path!)}' and '${printable(more)}', expected one file.`,
        2,
      )
    const json = values.json === true
    try {
      const { config, file } = await loadConfig(path, context)
      await checkPackages(config, context.cwd)
      const name = relative(context.cwd, file)
      const models = Object.keys(config.models)
      const warnings = await priceWarnings(config, context)
      if (json) context.print(JSON.stringify({ ok: true, file: name, models, warnings }))
      else {
        context.print(`${name} is valid.\n${configSummary(config, pricesText(config))}`)
        for (const { path: at, problem, fix } of warnings) {
          context.print(`Warning: ${at}: ${problem}. ${fix}`)
        }
      }
      return 0
    } catch (error) {
      if (!json || !(error instanceof CommandError)) throw error
      const issues =
        error instanceof InvalidConfigError ? error.issues : [{ path: '', problem: error.message }]
      context.print(JSON.stringify({ ok: false, issues }))
      return 1
    }
  },
}

/**
 * Looks for the packages that a configuration needs to be served and that a project installs itself. Nothing is started.
 * Rejects with `CommandError` for those that are not installed.
 */
export async function checkPackages(config: TypedConfig, folder: string): Promise<void> {
  await loadPrices(config, folder)
  await loadStatePackages(config.state ?? {}, folder)
  if (config.telemetry?.openTelemetry) await openTelemetryPackages(folder)
}
