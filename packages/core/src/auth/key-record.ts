import type { ApiKeyRecord } from '../contracts/key-store.ts'
import type { LimitRuleData, Principal } from '../contracts/principal.ts'
import { type ConfigurationIssue, hiddenIssue } from '../errors/configuration-error.ts'
import { membersOf } from '../primitives/own-members.ts'
import { limitRule } from '../rate-limiting/rule.ts'

import { limitsIssue } from './limits-issue.ts'

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
