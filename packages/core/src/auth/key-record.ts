import type { ApiKeyRecord, KeyChanges, KeyFields, KeySpec } from '../contracts/key-store.ts'
import type { LimitRuleData, Principal } from '../contracts/principal.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  hiddenIssue,
  unknownOption,
} from '../errors/configuration-error.ts'
import { membersOf, ownMembers } from '../primitives/own-members.ts'
import { hasControls } from '../primitives/safe-text.ts'
import { ruleIssues } from '../rate-limiting/limits-options.ts'
import { limitRule } from '../rate-limiting/rule.ts'
import { areTexts, idIssue, isTagTable, modelsIssue, tagsIssue } from './principal-members.ts'

/** A validated copy of a key record. Later changes to the store's object do not affect it. */
export interface ValidatedKeyRecord {
  readonly id: string
  readonly models: readonly string[] | null
  readonly tags: Readonly<Record<string, string>> | null
  readonly limits: readonly LimitRuleData[] | null
  readonly storeResponses: boolean
  readonly expiresAt: number | null
  readonly disabled: boolean
}

/**
 * Returns the first issue of a record, or `undefined`. An invalid restriction must not be ignored: a key with an invalid
 * date would never expire. Values are not shown, because one may be a key in the wrong field.
 */
export function recordIssue(record: ApiKeyRecord): ConfigurationIssue | undefined {
  const { id, models, tags, limits, storeResponses, expiresAt, disabled } = knownOf(record)
  if (typeof id !== 'string' || id === '' || hasControls(id)) return within('id', idIssue(id))
  if (models != null && !areTexts(models)) return within('models', modelsIssue(models))
  if (tags != null && !isTagTable(tags)) return within('tags', tagsIssue(tags))
  const issue = limits == null ? undefined : limitsIssue(limits)
  if (issue !== undefined) return issue
  if (storeResponses != null && typeof storeResponses !== 'boolean') {
    return hiddenIssue(['storeResponses'], storeResponses, 'true or false')
  }
  if (disabled != null && typeof disabled !== 'boolean') {
    return hiddenIssue(['disabled'], disabled, 'true or false')
  }
  if (expiresAt == null) return undefined
  const time = typeof expiresAt === 'number' || expiresAt instanceof Date ? Number(expiresAt) : Number.NaN
  if (Number.isFinite(time)) return undefined
  return hiddenIssue(['expiresAt'], expiresAt, 'milliseconds since 1970, or a valid Date')
}

function within(member: string, issue: ConfigurationIssue): ConfigurationIssue {
  return { ...issue, path: [member, ...issue.path] }
}

/** Returns a copy of a record without issues. */
export function validatedKeyRecord(record: ApiKeyRecord): ValidatedKeyRecord {
  const { id, models, tags, limits, storeResponses, expiresAt, disabled } = knownOf(record)
  return {
    id: id as string,
    models: models == null ? null : [...models],
    tags: tags == null ? null : { ...tags },
    limits: limits == null ? null : Object.freeze(limits.map(frozenRule)),
    storeResponses: storeResponses !== false,
    expiresAt: expiresAt == null ? null : Number(expiresAt),
    disabled: disabled === true,
  }
}

/** Reads inherited members, as a record may be a class instance, but none of `Object.prototype`. */
function knownOf(record: ApiKeyRecord) {
  return membersOf(record, 'id', 'models', 'tags', 'limits', 'storeResponses', 'expiresAt', 'disabled')
}

/** Frozen, so that every request shares the object and compiled rules can be cached by it. */
function frozenRule(data: LimitRuleData): LimitRuleData {
  const rule = limitRule(data)
  Object.freeze(rule.scopes)
  Object.freeze(rule.models)
  Object.freeze(rule.operations)
  return rule
}

/**
 * Returns the principal of a record, or `undefined` if it is disabled or expired. It is a copy with the known fields only:
 * other columns, such as a hash, must not reach the user's functions and logs, and changes must not affect later requests.
 */
export function principalOf(record: ValidatedKeyRecord, now: number, source: string): Principal | undefined {
  const { id, models, tags, limits, storeResponses, expiresAt, disabled } = record
  if (disabled || (expiresAt !== null && now >= expiresAt)) return undefined
  // Assigning members takes less time than spreading conditional objects, which takes 1 us.
  const principal: Writable<Principal> = { id, source }
  if (models !== null) principal.models = [...models]
  if (tags !== null) principal.tags = { ...tags }
  if (limits !== null) principal.limits = limits
  if (!storeResponses) principal.storeResponses = false
  return principal
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

type Fields = { -readonly [Name in keyof KeyFields]: (value: unknown) => KeyFields[Name] }

/** Validates each field of a key. Throws `ConfigurationError` without the value, which may be a key in the wrong field. */
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
    return (value as readonly LimitRuleData[]).map(storableRule)
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
 * Returns the given fields of a key, as they are stored. Throws `ConfigurationError` for a value that cannot be stored, and
 * for an unknown field: a misspelt restriction must not be ignored.
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
      // A longer name may be a key in the wrong place.
      const path = /^\w{1,20}$/.test(field) ? [field] : []
      throw new ConfigurationError('A key', [unknownOption(path, value, known)])
    }
    if (value !== undefined) read.push([name, readers[name](value)])
  }
  return ownMembers(Object.fromEntries(read))
}

function storableRule(rule: LimitRuleData): LimitRuleData {
  if (rule.scopes?.some(scope => typeof scope === 'function')) {
    const expected = "'key', 'user', 'model', 'gateway' or 'tag:' with a name: a function cannot be stored"
    throw new ConfigurationError('A key', [hiddenIssue(['limits', 'scopes'], () => {}, expected)])
  }
  return { ...limitRule(rule) }
}

/** Rejects a `Map`, which has no own properties. */
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

/** Databases cannot store NUL or unpaired surrogates. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}

function wrong(field: string, value: unknown, expected: string): ConfigurationError {
  return new ConfigurationError('A key', [hiddenIssue([field], value, expected)])
}

/**
 * Returns the first issue of the limits of a key, or `undefined`. A misspelt field must not be ignored: `scope` instead of
 * `scopes` would give each key its own counter.
 */
function limitsIssue(limits: unknown): ConfigurationIssue | undefined {
  const [issue] = ruleIssues(limits as readonly never[], rule => limitRule(rule))
  return issue && within('limits', issue)
}
