import type { Principal } from '../contracts/principal.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  hiddenIssue,
  quoted,
} from '../errors/configuration-error.ts'
import { memberOf } from '../primitives/own-members.ts'
import { boundedLine, hasControls } from '../primitives/safe-text.ts'

/**
 * Throws `ConfigurationError` for an invalid member of a principal, without its value: `null` instead of a list of models must not
 * allow all. The rules in `limits` are validated by the limiter.
 *
 * It runs once per request, so members are read one by one (60 ns); `memberOf` only decides about those that are invalid.
 */
export function checkPrincipalMembers(principal: Principal): void {
  const { id, models, tags, limits } = principal
  if (hasControls(id)) throw invalidMember(principal, 'id', idIssue(id))
  if (models !== undefined && !areTexts(models)) check(principal, 'models', modelsIssue)
  if (tags !== undefined && !isTagTable(tags)) check(principal, 'tags', tagsIssue)
  if (limits !== undefined && !Array.isArray(limits)) check(principal, 'limits', rulesIssue)
}

/** Throws unless the member is only that of a polluted `Object.prototype`. */
function check(
  principal: Principal,
  name: 'models' | 'tags' | 'limits',
  issueOf: (value: unknown) => ConfigurationIssue,
): void {
  const value: unknown = memberOf(principal, name)
  if (value !== undefined) throw invalidMember(principal, name, issueOf(value))
}

function invalidMember({ id }: Principal, name: string, issue: ConfigurationIssue): ConfigurationError {
  return new ConfigurationError(`The ${name} of the principal ${boundedLine(quoted(id))}`, [issue])
}

/** Whether a value is a list of texts, such as the `models` of a principal. */
export function areTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false
  for (let at = 0; at < value.length; at++) if (typeof value[at] !== 'string') return false
  return true
}

/** Whether a value is an object of texts, such as `tags`. A `Map` is not: its entries are no members. */
export function isTagTable(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Symbol.iterator in value) return false
  const table = value as Readonly<Record<string, unknown>>
  for (const name in table) if (typeof table[name] !== 'string' && Object.hasOwn(table, name)) return false
  return true
}

/** Returns the issue of an id that is empty, no text, or has control characters. */
export function idIssue(id: unknown): ConfigurationIssue {
  const expected =
    typeof id === 'string' && id !== '' ? 'a string without control characters' : 'a non-empty string'
  return hiddenIssue([], id, expected)
}

/** Returns the issue of invalid `models`. */
export function modelsIssue(models: unknown): ConfigurationIssue {
  const at = Array.isArray(models) ? models.findIndex(model => typeof model !== 'string') : -1
  if (at !== -1) return hiddenIssue([at], (models as readonly unknown[])[at], 'a name or a pattern')
  return hiddenIssue([], models, 'a list of names or patterns')
}

/** Returns the issue of invalid `tags`. */
export function tagsIssue(tags: unknown): ConfigurationIssue {
  const isTable = typeof tags === 'object' && tags !== null && !(Symbol.iterator in tags)
  const wrong = isTable ? Object.entries(tags).find(([, value]) => typeof value !== 'string') : undefined
  if (wrong !== undefined) return hiddenIssue([wrong[0]], wrong[1], 'a string')
  return hiddenIssue([], tags, 'an object of strings')
}

function rulesIssue(limits: unknown): ConfigurationIssue {
  return hiddenIssue([], limits, 'a list of rules')
}
