import type { ConfigurationIssue } from '../errors/configuration-error.ts'
import { ruleIssues } from '../rate-limiting/limits-faults.ts'
import { limitRule } from '../rate-limiting/rule.ts'

/**
 * What is wrong with the limits of a key, or `undefined`. One that is written in a wrong way must not become a wider
 * one, or none: `scope` for `scopes` would be a count of its own for each key.
 */
export function limitsIssue(limits: unknown): ConfigurationIssue | undefined {
  const [issue] = ruleIssues(limits as readonly never[], limitRule)
  return issue && { ...issue, path: ['limits', ...issue.path] }
}
