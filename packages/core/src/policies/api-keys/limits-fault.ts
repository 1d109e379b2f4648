import { ownMembers } from '../../protocol/own-members.ts'
import { limitRule } from '../limits/rule.ts'

const fields: readonly string[] = [
  'kind',
  'limit',
  'per',
  'currency',
  'unpriced',
  'scopes',
  'models',
  'shadow',
]

/**
 * What is wrong with the limits of a key, or `undefined`. One that is written in a wrong way must not become a wider
 * one, or none: `scope` for `scopes` would be a count of its own for each key.
 */
export function limitsFault(limits: unknown): string | undefined {
  if (!Array.isArray(limits)) return 'has limits that are no list of rules.'
  for (const rule of limits) {
    if (typeof rule !== 'object' || rule === null) return 'has limits of which one is no rule.'
    const unknown = Object.keys(rule).find(field => !fields.includes(field))
    if (unknown !== undefined) {
      return `has a limit with a field '${unknown}'. Known are ${fields.join(', ')}.`
    }
    try {
      limitRule(ownMembers(rule))
    } catch (error) {
      return `has a limit that cannot be used. ${error instanceof Error ? error.message : ''}`
    }
  }
  return undefined
}
