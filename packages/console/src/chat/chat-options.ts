import type { LimitRuleData } from '@sluice/core'
import { limitRule } from '@sluice/core/limits'

/** What the console's own principal may do. */
export interface ConsoleChat {
  /** Patterns of the models that it may use (`*` stands for any text). Default: all. */
  readonly models?: readonly string[] | undefined
  /** Such as `{ team: 'platform' }`, for limits that are shared and for the sums of the ledger. Default: none. */
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

/** Returns the options with their default limits, or false. Throws what `fault` makes of what is wrong. */
export function resolveChat(
  given: ConsoleChat | false,
  fault: (what: string) => TypeError,
): ResolvedChat | false {
  if (given === false) return false
  if (!isObject(given)) throw fault('chat: expected false, or an object such as { limits: [...] }')
  const unknown = Object.keys(given).find(name => !known.includes(name))
  if (unknown !== undefined) throw fault(`chat: no such option: ${unknown}. Known are ${known.join(', ')}`)
  const { models, tags, limits = defaultLimits } = given
  if (models !== undefined && !(Array.isArray(models) && models.every(isText)))
    throw fault("chat.models: expected names of models, or patterns such as 'small-*'")
  if (tags !== undefined && !(isObject(tags) && Object.values(tags).every(isText)))
    throw fault("chat.tags: expected texts by name, such as { team: 'platform' }")
  if (!Array.isArray(limits)) throw fault('chat.limits: expected a list of rules')
  const rules = limits.map((rule: LimitRuleData, at) => {
    try {
      return limitRule(rule)
    } catch (error) {
      throw fault(`chat.limits[${at}]: ${error instanceof Error ? error.message : String(error)}`)
    }
  })
  return { models, tags, limits: rules }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
