import { memberOf } from '../../protocol/own-members.ts'
import type { Principal } from '../../stages/authenticate.ts'

/** What is known of a key, and who it speaks for. A `null`, as stores give it, is nothing known. */
export interface ApiKeyRecord extends Omit<Principal, 'models' | 'tags'> {
  /** Patterns of the models that the key may use; absent means all. */
  readonly models?: readonly string[] | null
  readonly tags?: Readonly<Record<string, string>> | null
  /** Milliseconds since 1970, or a `Date`; from then on the key is refused. */
  readonly expiresAt?: number | Date | null
  readonly disabled?: boolean | null
}

/**
 * What is wrong with a record, or `undefined`. A right that is written in a wrong way must not become a
 * wider one: a date that is no date never comes.
 */
export function recordFault(record: ApiKeyRecord): string | undefined {
  const { id, models, tags, expiresAt, disabled } = knownOf(record)
  if (typeof id !== 'string' || id === '') return 'has no id. Give each key an id: it names the caller.'
  if (models != null && !(Array.isArray(models) && models.every(model => typeof model === 'string'))) {
    return 'has models that are no list of names or patterns.'
  }
  if (tags != null && (typeof tags !== 'object' || Array.isArray(tags))) return 'has tags that are no object.'
  if (disabled != null && typeof disabled !== 'boolean')
    return 'has a disabled that is neither true nor false.'
  if (expiresAt == null) return undefined
  const time = typeof expiresAt === 'number' || expiresAt instanceof Date ? Number(expiresAt) : Number.NaN
  return Number.isFinite(time)
    ? undefined
    : 'has an expiresAt that is neither a number of milliseconds since 1970 nor a valid Date.'
}

/** A store's row may be an instance of a class; what was added to `Object.prototype` is nothing of its own. */
function knownOf(record: ApiKeyRecord): ApiKeyRecord {
  return {
    id: memberOf(record, 'id') as string,
    models: memberOf(record, 'models') ?? null,
    tags: memberOf(record, 'tags') ?? null,
    expiresAt: memberOf(record, 'expiresAt') ?? null,
    disabled: memberOf(record, 'disabled') ?? null,
  }
}

/**
 * Who a sound record speaks for now, or `undefined` where it is disabled or has expired. What else a store's row
 * holds, such as the hash, is no part of it: a principal goes to every function of the user's, and to the log. It is
 * a copy: what one of them changes is not changed for the next request.
 */
export function principalOf(record: ApiKeyRecord, now: number): Principal | undefined {
  const { id, models, tags, expiresAt, disabled } = knownOf(record)
  if (disabled === true || (expiresAt != null && now >= Number(expiresAt))) return undefined
  return {
    id,
    ...(models == null ? {} : { models: [...models] }),
    ...(tags == null ? {} : { tags: { ...tags } }),
  }
}
