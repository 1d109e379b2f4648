import { type Prices, priceTable } from '@sluice/core'
import { jwt } from '@sluice/jwt'
import { checkOptions } from './check-options.ts'
import type { CompiledConfig } from './compiled-config.ts'
import type { TypedConfig } from './config.ts'
import type { FaultList } from './issues/issue-list.ts'
import type { VendorPool } from './providers/vendor-pool.ts'
import { modelTable } from './routes/model-table.ts'
import { callersOf, type TokenCallers } from './sections/callers.ts'
import { checkModelNames, checkRules } from './sections/check-rules.ts'
import { triedOptions } from './shape/collect-issues.ts'
import { isPlainObject } from './shape/collections.ts'
import { Place } from './shape/shape.ts'

/** Makes the parts of a configuration. Throws `ConfigFaults` with all that is wrong with it, what was found before included. */
export function compileConfig(
  config: TypedConfig,
  faults: FaultList,
  pool: VendorPool,
  tokenCallers: TokenCallers = jwt,
): CompiledConfig {
  const root = new Place([], faults)
  // Nothing can be said of the parts of what is no object, or has no models.
  if (!isPlainObject(config) || !isPlainObject(config.models)) faults.settle()
  const vendors = pool.take(config, root.at('providers'))
  const scope = { vendors, models: Object.keys(config.models) }
  const route = modelTable(config, root.at('models'), scope)
  const callers = callersOf(config, root, tokenCallers)
  checkRules(config.limits, config, root.at('limits'))
  checkConsoleChat(config, root)
  const prices = pricesOf(config, root)
  checkOptions(config, root)
  faults.settle()
  return { config, vendors, route: route!, callers, prices }
}

function checkConsoleChat(config: TypedConfig, root: Place): void {
  const place = root.at('console').at('chat')
  const chat = config.console ? config.console.chat : undefined
  if (!chat || root.faults.has(['console'])) return
  checkModelNames(chat.models, config, place.at('models'))
  checkRules(chat.limits, config, place.at('limits'))
}

function pricesOf({ prices }: TypedConfig, root: Place): Prices | undefined {
  if (prices === undefined || prices === 'genai-prices' || root.faults.has(['prices'])) return undefined
  return triedOptions(root.at('prices'), () => priceTable(prices))
}
