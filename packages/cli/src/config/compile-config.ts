import { type Prices, priceTable } from '@sluice/core'
import { jwt } from '@sluice/jwt'
import { bundledPrices } from '@sluice/prices'
import { checkOptions } from './check-options.ts'
import type { CompiledConfig } from './compiled-config.ts'
import type { TypedConfig } from './config.ts'
import type { IssueList } from './issues/issue-list.ts'
import type { VendorPool } from './providers/vendor-pool.ts'
import { modelTable } from './routes/model-table.ts'
import { TargetLimits } from './routes/target-limits.ts'
import { bundledOptions } from './sections/bundled-options.ts'
import { callersOf, type TokenCallers } from './sections/callers.ts'
import { checkModelNames, checkRules } from './sections/check-rules.ts'
import { hooksOf } from './sections/hooks.ts'
import { checkLog } from './sections/log-shape.ts'
import { checkResponses } from './sections/responses-shape.ts'
import { checkJournal } from './sections/state-shape.ts'
import { collectOptionIssues } from './shape/collect-issues.ts'
import { isPlainObject } from './shape/collections.ts'
import { ConfigLocation } from './shape/shape.ts'

/** Makes the parts of a configuration. Throws `InvalidConfigError` with all that is wrong with it, what was found before included. */
export function compileConfig(
  config: TypedConfig,
  issues: IssueList,
  pool: Pick<VendorPool, 'take'>,
  tokenCallers: TokenCallers = jwt,
): CompiledConfig {
  const root = new ConfigLocation([], issues)
  // Nothing can be said of the parts of what is no object, or has no models.
  if (!isPlainObject(config) || !isPlainObject(config.models)) issues.throwIfAny()
  const vendors = pool.take(config, root.at('providers'))
  const targetLimits = new TargetLimits()
  const scope = { vendors, models: Object.keys(config.models), targetLimits }
  const route = modelTable(config, root.at('models'), scope)
  const callers = callersOf(config, root, tokenCallers)
  checkRules(config.limits, config, root.at('limits'))
  checkConsoleChat(config, root)
  checkResponses(config, root)
  checkLog(config, root)
  checkJournal(config, root)
  const hooks = hooksOf(config, root)
  const prices = pricesOf(config, root)
  checkBundledPrices(config, root)
  checkOptions(config, root)
  issues.throwIfAny()
  return { config, vendors, route: route!, targetLimits, callers, hooks, prices }
}

function checkConsoleChat(config: TypedConfig, root: ConfigLocation): void {
  const location = root.at('console').at('chat')
  const chat = config.console ? config.console.chat : undefined
  if (!chat || root.issues.has(['console'])) return
  checkModelNames(chat.models, config, location.at('models'))
  checkRules(chat.limits, config, location.at('limits'))
}

function checkBundledPrices({ bundledPrices: given }: TypedConfig, root: ConfigLocation): void {
  if (!given || root.issues.has(['bundledPrices'])) return
  collectOptionIssues(root.at('bundledPrices'), () => bundledPrices(bundledOptions(given, '')))
}

function pricesOf({ prices }: TypedConfig, root: ConfigLocation): Prices | undefined {
  if (typeof prices !== 'object' || root.issues.has(['prices'])) return undefined
  return collectOptionIssues(root.at('prices'), () => priceTable(prices))
}
