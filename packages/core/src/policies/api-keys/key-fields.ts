import type { LimitRuleData } from '../../limit-rule.ts'
import { ownMembers } from '../../protocol/own-members.ts'
import { limitRule } from '../limits/rule.ts'
import type { KeyChanges, KeyFields, KeySpec } from './key-store.ts'
import { limitsFault } from './limits-fault.ts'

type Fields = { -readonly [Name in keyof KeyFields]: (value: unknown) => KeyFields[Name] }

/** How each field of a key is read. Each throws `TypeError`, and tells no value: it may be a key in the wrong place. */
const readers: Fields = {
  name(value) {
    if (isText(value) && value.trim() !== '' && value.length <= 200 && !/\p{Cc}/u.test(value)) return value
    throw wrong('name', 'a text of 1 to 200 characters on one line')
  },
  models(value) {
    if (value === null) return null
    if (Array.isArray(value) && value.every(model => isText(model) && model !== '')) return [...value]
    throw wrong('models', "a list of names of models, or patterns such as 'test-*'")
  },
  tags(value) {
    if (value === null) return null
    const tags = isPlain(value) ? Object.entries(value) : undefined
    if (tags?.every(isTag)) return Object.fromEntries(tags)
    throw wrong('tags', 'an object of texts')
  },
  limits(value) {
    if (value === null) return null
    const fault = limitsFault(value)
    if (fault !== undefined) throw new TypeError(`A key ${fault}`)
    return (value as readonly LimitRuleData[]).map(keptRule)
  },
  disabled(value) {
    if (typeof value === 'boolean') return value
    throw wrong('disabled', 'true or false')
  },
  expiresAt(value) {
    if (value === null) return null
    const time = typeof value === 'number' || value instanceof Date ? Number(value) : Number.NaN
    if (Number.isInteger(time) && !Number.isNaN(new Date(time).getTime())) return time
    throw wrong('expiresAt', 'whole milliseconds since 1970, or a Date')
  },
}

/**
 * What is given of a key's fields, as it is kept. Throws `TypeError` for what cannot be kept, and for a field that is
 * unknown: a restriction with its name misspelt would be none.
 */
export function keyFields(
  given: KeySpec | KeyChanges,
  known: readonly (keyof KeyFields)[],
): Partial<KeyFields> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`A key: expected an object with ${known.join(', ')}.`)
  }
  const read: [string, unknown][] = []
  for (const [field, value] of Object.entries(given)) {
    const name = known.find(each => each === field)
    if (name === undefined) {
      const shown = /^\w{1,20}$/.test(field) ? ` '${field}'` : ' with a name such as was given'
      throw new TypeError(`A key has no field${shown}. Known are ${known.join(', ')}.`)
    }
    if (value !== undefined) read.push([name, readers[name](value)])
  }
  return ownMembers(Object.fromEntries(read))
}

function keptRule(rule: LimitRuleData): LimitRuleData {
  if (rule.scopes?.some(scope => typeof scope === 'function')) {
    throw new TypeError(
      "A key has a limit whose scope is a function, which cannot be kept. Use 'key', 'model', 'gateway' or 'tag:' with a name.",
    )
  }
  return { ...limitRule(ownMembers(rule)) }
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

function wrong(field: string, expected: string): TypeError {
  return new TypeError(`A key's ${field}: expected ${expected}.`)
}
