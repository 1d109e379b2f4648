import type { ApiKeyRecord, KeyChanges, KeyFields, KeySpec } from '../contracts/key-store.ts'
import type { LimitRuleData, Principal } from '../contracts/principal.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  hiddenIssue,
  unknownOption,
} from '../errors/configuration-error.ts'
import { membersOf, ownMembers } from '../primitives/own-members.ts'
import { ruleIssues } from '../rate-limiting/limits-options.ts'
import { limitRule } from '../rate-limiting/rule.ts'

/** A record without a fault, as it was when it was read: what becomes of the store's own object changes nothing. */
export interface SoundRecord {
  readonly id: string
  readonly models: readonly string[] | null
  readonly tags: Readonly<Record<string, string>> | null
  readonly limits: readonly LimitRuleData[] | null
  readonly expiresAt: number | null
  readonly disabled: boolean
}

/**
 * What is wrong with a record, or `undefined`. A right that is written in a wrong way must not become a
 * wider one: a date that is no date never comes. No value is shown: it may be a key in the wrong place.
 */
export function recordIssue(record: ApiKeyRecord): ConfigurationIssue | undefined {
  const { id, models, tags, limits, expiresAt, disabled } = knownOf(record)
  if (typeof id !== 'string' || id === '') return hiddenIssue(['id'], id, 'a text that names the caller')
  if (models != null && !(Array.isArray(models) && models.every(model => typeof model === 'string'))) {
    return hiddenIssue(['models'], models, 'a list of names or patterns')
  }
  if (tags != null && (typeof tags !== 'object' || Array.isArray(tags))) {
    return hiddenIssue(['tags'], tags, 'an object')
  }
  const issue = limits == null ? undefined : limitsIssue(limits)
  if (issue !== undefined) return issue
  if (disabled != null && typeof disabled !== 'boolean') {
    return hiddenIssue(['disabled'], disabled, 'true or false')
  }
  if (expiresAt == null) return undefined
  const time = typeof expiresAt === 'number' || expiresAt instanceof Date ? Number(expiresAt) : Number.NaN
  if (Number.isFinite(time)) return undefined
  return hiddenIssue(['expiresAt'], expiresAt, 'milliseconds since 1970, or a valid Date')
}

/** A copy of a record in which `recordIssue` found nothing. */
export function soundRecord(record: ApiKeyRecord): SoundRecord {
  const { id, models, tags, limits, expiresAt, disabled } = knownOf(record)
  return {
    id: id as string,
    models: models == null ? null : [...models],
    tags: tags == null ? null : { ...tags },
    limits: limits == null ? null : Object.freeze(limits.map(frozenRule)),
    expiresAt: expiresAt == null ? null : Number(expiresAt),
    disabled: disabled === true,
  }
}

/** A store's row may be an instance of a class; what was added to `Object.prototype` is nothing of its own. */
function knownOf(record: ApiKeyRecord) {
  return membersOf(record, 'id', 'models', 'tags', 'limits', 'expiresAt', 'disabled')
}

/** The same object for every request, so that what is made of a rule can be kept with it. Nobody can change it. */
function frozenRule(data: LimitRuleData): LimitRuleData {
  const rule = limitRule(data)
  Object.freeze(rule.scopes)
  Object.freeze(rule.models)
  return rule
}

/**
 * Who a record speaks for now, or `undefined` where it is disabled or has expired. What else a store's row holds,
 * such as the hash, is no part of it: a principal goes to every function of the user's, and to the log. It is a copy,
 * or cannot be changed: what one of them does is not done to the next request.
 */
export function principalOf(record: SoundRecord, now: number, source: string): Principal | undefined {
  const { id, models, tags, limits, expiresAt, disabled } = record
  if (disabled || (expiresAt !== null && now >= expiresAt)) return undefined
  // Member by member: to spread those that are there takes a microsecond.
  const principal: Writable<Principal> = { id, source }
  if (models !== null) principal.models = [...models]
  if (tags !== null) principal.tags = { ...tags }
  if (limits !== null) principal.limits = limits
  return principal
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

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

/**
 * What is wrong with the limits of a key, or `undefined`. One that is written in a wrong way must not become a wider
 * one, or none: `scope` for `scopes` would be a count of its own for each key.
 */
function limitsIssue(limits: unknown): ConfigurationIssue | undefined {
  const [issue] = ruleIssues(limits as readonly never[], rule => limitRule(rule))
  return issue && { ...issue, path: ['limits', ...issue.path] }
}
