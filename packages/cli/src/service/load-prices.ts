import type { Prices } from '@sluice/core'
import { type CalcPrice, genaiPrices } from '@sluice/core/ledger'
import { CommandError } from '../command.ts'
import type { TypedConfig } from '../config/config.ts'
import { projectModule } from './project-module.ts'

const name = '@pydantic/genai-prices'

/**
 * The prices that a package keeps, where a configuration asks for them. Rejects with `CommandError` where the package is
 * not installed.
 */
export async function loadPrices(config: TypedConfig, folder: string): Promise<Prices | undefined> {
  if (config.prices !== 'genai-prices') return undefined
  const loaded = await projectModule(name, folder)
  if (typeof loaded?.calcPrice !== 'function') {
    throw new CommandError(
      `prices: 'genai-prices' needs the package ${name}, which is not installed here. Run: npm install ${name}`,
    )
  }
  return genaiPrices(loaded.calcPrice as CalcPrice, { providers: vendorNames(config) })
}

/** The package knows vendors, and not the names that a configuration gives them. */
function vendorNames({ providers = {} }: TypedConfig): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(providers).flatMap(([name, provider]) =>
      typeof provider === 'object' && provider.type !== undefined ? [[name, provider.type]] : [],
    ),
  )
}
