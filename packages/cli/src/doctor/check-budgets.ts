import { CommandError } from '../command.ts'
import type { TypedConfig } from '../config/config.ts'
import { priceWarnings } from '../service/load-prices.ts'
import { type Finding, ofCommandError, warning } from './finding.ts'

/** Checks that budgets do not reject models because they have no price. */
export async function checkBudgets(
  config: TypedConfig,
  context: { readonly cwd: string; readonly now: () => number },
): Promise<readonly Finding[]> {
  try {
    const found = await priceWarnings(config, context)
    return found.map(({ path, problem, fix }) => warning(`budget ${path}`, `${problem}.`, fix))
  } catch (failure) {
    if (!(failure instanceof CommandError)) throw failure
    return [ofCommandError('prices', failure, 'Install the package.')]
  }
}
