import type { TypedConfig } from '../config/config.ts'
import { listedPrices } from './listed-prices.ts'
import { openTelemetryPackages } from './open-telemetry.ts'

/**
 * Looks for the packages that a configuration needs to be served and that a project installs itself. Nothing is started.
 * Rejects with `CommandFault` for those that are not installed.
 */
export async function checkPackages(config: TypedConfig, folder: string): Promise<void> {
  await listedPrices(config, folder)
  if (config.telemetry?.openTelemetry) await openTelemetryPackages(folder)
}
