import type { KeyChanges, KeyFields, KeySpec } from '../contracts/key-store.ts'
import type { LimitRuleData } from '../contracts/principal.ts'

import { ConfigurationError, hiddenIssue, unknownOption } from '../errors/configuration-error.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { limitRule } from '../rate-limiting/rule.ts'
import { limitsIssue } from './limits-issue.ts'

type Fields = { -readonly [Name in keyof KeyFields]: (value: unknown) => KeyFields[Name] }

/** How each field of a key is read. Each throws `ConfigurationError`, and tells no value: it may be a key in the wrong place. */
const readers: Fields = {
  name(value) {
    if (isText(value) && value.trim() !== '' && value.length <= 200 && !/\p{Cc}/u.test(value)) return value
    throw wrong('name', value, 'a text of 1 to 200 characters on one line')
  },
  models(value) {
    if (value === null) return null
    if (Array.isArray(value) && value.every(model => isText(model) && model !== '')) return [...value]
    throw wrong('models', value, "a list of names of models, or patterns such as 'test-*'")
  },
  tags(value) {
    if (value === null) return null
    const tags = isPlain(value) ? Object.entries(value) : undefined
    if (tags?.every(isTag)) return Object.fromEntries(tags)
    throw wrong('tags', value, 'an object of texts')
  },
  limits(value) {
    if (value === null) return null
    const issue = limitsIssue(value)
    if (issue !== undefined) throw new ConfigurationError('A key', [issue])
    return (value as readonly LimitRuleData[]).map(keptRule)
  },
  disabled(value) {
    if (typeof value === 'boolean') return value
    throw wrong('disabled', value, 'true or false')
  },
  expiresAt(value) {
    if (value === null) return null
    const time = typeof value === 'number' || value instanceof Date ? Number(value) : Number.NaN
    if (Number.isInteger(time) && !Number.isNaN(new Date(time).getTime())) return time
    throw wrong('expiresAt', value, 'whole milliseconds since 1970, or a Date')
  },
}

/**
 * What is given of a key's fields, as it is kept. Throws `ConfigurationError` for what cannot be kept, and for a field that is
 * unknown: a restriction with its name misspelt would be none.
 */
export function keyFields(
  given: KeySpec | KeyChanges,
  known: readonly (keyof KeyFields)[],
): Partial<KeyFields> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigurationError('A key', [hiddenIssue([], given, `an object with ${known.join(', ')}`)])
  }
  const read: [string, unknown][] = []
  for (const [field, value] of Object.entries(given)) {
    const name = known.find(each => each === field)
    if (name === undefined) {
      // A longer one may be a key in the wrong place.
      const path = /^\w{1,20}$/.test(field) ? [field] : []
      throw new ConfigurationError('A key', [unknownOption(path, value, known)])
    }
    if (value !== undefined) read.push([name, readers[name](value)])
  }
  return ownMembers(Object.fromEntries(read))
}

function keptRule(rule: LimitRuleData): LimitRuleData {
  if (rule.scopes?.some(scope => typeof scope === 'function')) {
    const expected = "'key', 'model', 'gateway' or 'tag:' with a name: a function cannot be kept"
    throw new ConfigurationError('A key', [hiddenIssue(['limits', 'scopes'], () => {}, expected)])
  }
  return { ...limitRule(rule) }
}

/** Of a `Map` nothing would be kept. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(value))
  )
}

function isTag(entry: [string, unknown]): entry is [string, string] {
  return entry.every(isText)
}

/** Databases have no place for NUL, nor for half a character. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}

function wrong(field: string, value: unknown, expected: string): ConfigurationError {
  return new ConfigurationError('A key', [hiddenIssue([field], value, expected)])
}
