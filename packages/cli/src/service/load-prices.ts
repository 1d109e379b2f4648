import type { Observer, Prices } from '@sluice/core'
import { type CalcPrice, genaiPrices } from '@sluice/core/ledger'
import { type BundledPrices, bundledPrices, pricesUpdatedAt } from '@sluice/prices'
import { recheckConfig } from '../config/check-config.ts'
import { compileConfig } from '../config/compile-config.ts'
import type { TypedConfig } from '../config/config.ts'
import { VendorPool } from '../config/providers/vendor-pool.ts'
import { bundledOptions } from '../config/sections/bundled-options.ts'
import { type ConfigWarning, unpricedBudgets } from '../config/unpriced-budgets.ts'
import { optionalPackage } from '../state/optional-package.ts'

const name = '@pydantic/genai-prices'

/**
 * Returns the prices of a configuration that are not in it: the bundled ones, without refresh, or those of a package. Rejects
 * with `CommandError` if the package is not installed.
 */
export async function loadPrices(config: TypedConfig, folder: string): Promise<Prices | undefined> {
  if (config.prices === 'genai-prices') return packagePrices(config, folder)
  return hasBundledPrices(config) ? bundledPrices(optionsOf(config, folder, false)) : undefined
}

/**
 * Returns a warning for each budget of a valid configuration that rejects requests because targets have no price. Rejects as
 * `loadPrices` does.
 */
export async function priceWarnings(
  config: TypedConfig,
  { cwd, now }: { readonly cwd: string; readonly now: () => number },
): Promise<readonly ConfigWarning[]> {
  const { issues } = recheckConfig(config)
  const compiled = compileConfig(config, issues, new VendorPool())
  const configured = (await loadPrices(config, cwd)) ?? compiled.prices ?? (() => null)
  return unpricedBudgets(compiled, config.gateway?.prices ?? configured, now())
}

interface LoadedPrices {
  readonly key: string
  readonly prices: BundledPrices
}

/** The prices of a service. They outlive its configurations, so that a reload does not bring back the bundled ones. */
export class ServicePrices {
  readonly #folder: string
  readonly #observe: Observer
  /** Those of the configuration that runs. */
  #current: LoadedPrices | undefined
  /** Those that were loaded last: their configuration may turn out to be invalid. */
  #loaded: LoadedPrices | undefined

  constructor(folder: string, observe: Observer) {
    this.#folder = folder
    this.#observe = observe
  }

  /** Loads the prices of a configuration. Call `keep` once it runs. */
  async load(config: TypedConfig): Promise<Prices | undefined> {
    if (config.prices === 'genai-prices') return packagePrices(config, this.#folder)
    if (!hasBundledPrices(config)) return undefined
    const key = JSON.stringify([config.bundledPrices, config.prices, vendorNames(config)])
    if (this.#loaded?.key === key) return this.#loaded.prices
    if (this.#loaded !== this.#current) this.#loaded?.prices.close()
    this.#loaded = this.#current?.key === key ? this.#current : this.#create(config, key)
    return this.#loaded.prices
  }

  /** Closes the prices of the configuration before. */
  keep(): void {
    if (this.#loaded === this.#current) return
    this.#current?.prices.close()
    this.#current = this.#loaded
  }

  close(): void {
    this.#current?.prices.close()
    this.#loaded?.prices.close()
  }

  #create(config: TypedConfig, key: string): LoadedPrices {
    const prices = bundledPrices({ ...optionsOf(config, this.#folder, true), observe: this.#observe })
    void prices.refresh()
    return { key, prices }
  }
}

/** Describes the prices of a configuration in a line. */
export function pricesText(config: TypedConfig): string {
  const { prices, bundledPrices: bundled } = config
  if (prices === 'genai-prices') return `of the package ${name}`
  const own = typeof prices === 'object' ? Object.keys(prices).length : 0
  const texts = [
    ...(own > 0 ? [`${own} of your own`] : []),
    ...(hasBundledPrices(config) ? [`bundled, of ${pricesUpdatedAt}`] : []),
    ...(hasBundledPrices(config) && bundled && bundled.refresh !== undefined ? ['refreshed'] : []),
  ]
  return texts.join(', ') || 'none'
}

function hasBundledPrices({ prices, bundledPrices: bundled }: TypedConfig): boolean {
  return prices !== false && prices !== 'genai-prices' && bundled !== false
}

function optionsOf(config: TypedConfig, folder: string, refreshes: boolean) {
  const { refresh, ...options } = bundledOptions(config.bundledPrices || {}, folder)
  return {
    ...options,
    ...(typeof config.prices === 'object' && { overrides: config.prices }),
    ...(refreshes && { refresh }),
    providers: { ...vendorNames(config), ...options.providers },
  }
}

async function packagePrices(config: TypedConfig, folder: string): Promise<Prices> {
  const loaded = await optionalPackage<{ calcPrice: CalcPrice }>(
    { setting: "prices: 'genai-prices'", name },
    folder,
  )
  return genaiPrices(loaded.calcPrice, { providers: vendorNames(config) })
}

/** The tables know vendors, and not the names that a configuration gives them. */
function vendorNames({ providers = {} }: TypedConfig): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(providers).flatMap(([name, provider]) =>
      typeof provider === 'object' && provider.type !== undefined ? [[name, provider.type]] : [],
    ),
  )
}
