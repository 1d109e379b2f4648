import { ConfigurationError, type LimitRuleData } from '@sluice/core'
import { type ConfigurationIssue, configurationIssue, unknownOption } from '@sluice/core/adapter'
import { limitRule } from '@sluice/core/limits'

/** What the principal `console` may do: that of the console's own chat. */
export interface ConsoleChat {
  /** Patterns of the models that it may use (`*` matches any text). Default: all. */
  readonly models?: readonly string[] | undefined
  /** Tags such as `{ team: 'platform' }`, to share limits and to group usage by. Default: none. */
  readonly tags?: Readonly<Record<string, string>> | undefined
  /**
   * Its own rate limits and budgets. Default: 60 requests a minute, and a budget of 1 US dollar a day that does not count
   * models without a price. An empty list: none of its own.
   */
  readonly limits?: readonly LimitRuleData[] | undefined
}

const known: readonly string[] = ['models', 'tags', 'limits'] satisfies (keyof ConsoleChat)[]

const defaultLimits: readonly LimitRuleData[] = [
  { kind: 'requests', limit: 60, per: 'minute' },
  { kind: 'budget', limit: 1, currency: 'usd', per: 'day', unpriced: 'allow' },
]

/** The options as the console uses them. */
export type ResolvedChat = ConsoleChat & { readonly limits: readonly LimitRuleData[] }

/** Returns the options with their default limits, or false. Adds an issue for each invalid option. */
export function resolveChat(given: ConsoleChat | false, issues: ConfigurationIssue[]): ResolvedChat | false {
  if (given === false) return false
  if (!isObject(given)) {
    issues.push(configurationIssue(['chat'], given, 'false, or an object such as { limits: [...] }'))
    return false
  }
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) issues.push(unknownOption(['chat', name], value, known))
  }
  const { models, tags, limits = defaultLimits } = given
  if (models !== undefined && !(Array.isArray(models) && models.every(isText))) {
    issues.push(
      configurationIssue(['chat', 'models'], models, "a list of names, or patterns such as 'small-*'"),
    )
  }
  if (tags !== undefined && !(isObject(tags) && Object.values(tags).every(isText))) {
    issues.push(
      configurationIssue(['chat', 'tags'], tags, "an object of texts, such as { team: 'platform' }"),
    )
  }
  if (!Array.isArray(limits)) {
    issues.push(configurationIssue(['chat', 'limits'], limits, 'a list of limits'))
    return { models, tags, limits: [] }
  }
  const rules = limits.flatMap((rule: LimitRuleData, index) => ruleOf(rule, index, issues))
  return { models, tags, limits: rules }
}

function ruleOf(rule: LimitRuleData, index: number, issues: ConfigurationIssue[]): LimitRuleData[] {
  try {
    return [limitRule(rule)]
  } catch (error) {
    if (!ConfigurationError.is(error)) throw error
    for (const issue of error.issues) {
      issues.push({ ...issue, path: ['chat', 'limits', index, ...issue.path] })
    }
    return []
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
