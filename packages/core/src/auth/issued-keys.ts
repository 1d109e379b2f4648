import { systemClock } from '../clock/clock.ts'
import type { ApiKeyRecord, KeyRepository, KeySecret, KeyStore, StoredKey } from '../contracts/key-store.ts'
import type { LimitRuleData } from '../contracts/principal.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { randomBytes } from '../primitives/random.ts'
import { defaultPrefix, keyForm, newKey, newKeyId, type RandomBytes } from './issued-key.ts'
import { digestsOf, type Pepper, sameDigest } from './key-digest.ts'
import { keyFields } from './key-record.ts'

export interface KeyStoreOptions {
  /** What every key begins with, before `_`: a lower-case letter, then such letters and digits. Default `sluice`. */
  readonly prefix?: string
  /** Keys are kept as HMAC-SHA-256 under these secrets, newest first; without it as plain SHA-256. */
  readonly pepper?: Pepper
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
  /** Fresh random bytes, so many. Default those of `crypto`. */
  readonly random?: RandomBytes
}

const rowMethods = ['insert', 'list', 'get', 'update', 'addSecret', 'delete', 'findByDigest'] as const
const issuedFields = ['name', 'models', 'tags', 'limits', 'expiresAt'] as const
/** The latest time that a `Date` can hold. */
const latestMs = 8_640_000_000_000_000

/**
 * Keys that are issued, changed and revoked while gateways run: give it to `apiKeys`. Only digests of keys are kept,
 * and nothing but `issue` and `rotate` ever tells a key, once.
 *
 * A key is `<prefix>_<id>_<secret><checksum>`: an id of 12 characters, which is the principal's; a secret of 256
 * bits; and a checksum, by which a slip of the pen is refused without a question to the database.
 *
 * Throws `TypeError` for a prefix, pepper or tables that are none.
 */
export function keyStore(rows: KeyRepository, given: KeyStoreOptions = {}): KeyStore {
  const options = ownMembers(given)
  const { prefix = defaultPrefix, now = systemClock.now, random = randomBytes } = options
  const isOurs = keyForm(prefix)
  const digestsUnder = digestsOf(options.pepper)
  const missing = rowMethods.find(name => typeof rows?.[name] !== 'function')
  if (missing !== undefined) {
    throw new TypeError(
      `keyStore(): expected the tables of a database; what was given has no function ${missing}.`,
    )
  }

  const time = () => Math.floor(now())
  const freshSecret = (id: string, createdAt: number) => {
    const key = newKey(prefix, id, random)
    const [digest = ''] = digestsUnder(key)
    return { key, secret: { digest, createdAt, expiresAt: null } }
  }
  const known = async (id: string) => {
    const stored = await rows.get(id)
    if (stored === undefined) throw unknownId()
    return withCurrentRules(stored)
  }
  return {
    async issue(spec) {
      const fields = keyFields(spec, issuedFields)
      if (fields.name === undefined)
        throw new TypeError('A key needs a name: it tells people which one it is.')
      const createdAt = time()
      const id = newKeyId(random)
      const { key, secret } = freshSecret(id, createdAt)
      const stored: StoredKey = {
        id,
        name: fields.name,
        models: fields.models ?? null,
        tags: fields.tags ?? null,
        limits: fields.limits ?? null,
        disabled: false,
        createdAt,
        expiresAt: fields.expiresAt ?? null,
        lastUsedAt: null,
        secrets: [secret],
      }
      await rows.insert(stored)
      return { key, stored }
    },
    list: async () => (await rows.list()).map(withCurrentRules),
    async get(id) {
      const stored = isId(id) ? await rows.get(id) : undefined
      return stored && withCurrentRules(stored)
    },
    async update(id, given) {
      const changes = keyFields(given, [...issuedFields, 'disabled'])
      if (!isId(id)) throw unknownId()
      if (Object.keys(changes).length > 0 && !(await rows.update(id, changes))) throw unknownId()
      return known(id)
    },
    async rotate(id, given = {}) {
      const at = time()
      const endAt = at + overlapOf(given)
      if (!isId(id)) throw unknownId()
      const { key, secret } = freshSecret(id, at)
      if (!(await rows.addSecret(id, secret, endAt, at))) throw unknownId()
      return { key, stored: await known(id) }
    },
    delete: async id => isId(id) && rows.delete(id),
    async find(digest) {
      const at = time()
      const stored = await rows.findByDigest(digest, at)
      const secret = stored?.secrets.find(each => sameDigest(each.digest, digest))
      if (stored === undefined || secret === undefined) return undefined
      return recordOf(withCurrentRules(stored), secret)
    },
    digests: text => (isOurs(text) ? digestsUnder(text) : []),
  }
}

/**
 * Reads the rules of keys that older versions issued: `shadow: true` is `mode: 'dryRun'` now. Rules are mapped on read
 * and not migrated, because processes of an older version would refuse a key whose rules have a `mode`.
 */
function withCurrentRules(key: StoredKey): StoredKey {
  if (!Array.isArray(key.limits) || !key.limits.some(hasShadow)) return key
  return { ...key, limits: key.limits.map(rule => (hasShadow(rule) ? currentRule(rule) : rule)) }
}

function hasShadow(rule: unknown): rule is LimitRuleData & { readonly shadow: boolean } {
  return (
    typeof rule === 'object' &&
    rule !== null &&
    Object.hasOwn(rule, 'shadow') &&
    typeof (rule as { readonly shadow?: unknown }).shadow === 'boolean'
  )
}

function currentRule({ shadow, ...rule }: LimitRuleData & { readonly shadow: boolean }): LimitRuleData {
  return shadow ? { ...rule, mode: 'dryRun' } : rule
}

/** A secret that ends before its key does ends on time also where it is remembered. */
function recordOf(
  { id, models, tags, limits, disabled, expiresAt }: StoredKey,
  secret: KeySecret,
): ApiKeyRecord {
  const ends = [expiresAt, secret.expiresAt].filter(end => end !== null)
  return { id, models, tags, limits, disabled, expiresAt: ends.length === 0 ? null : Math.min(...ends) }
}

function overlapOf(given: { readonly overlapMs?: number }): number {
  const { overlapMs = 0 } = ownMembers(given)
  if (typeof overlapMs === 'number' && overlapMs >= 0 && overlapMs <= latestMs / 2)
    return Math.floor(overlapMs)
  throw new TypeError(
    `rotate(): overlapMs is ${String(overlapMs)}, expected a number of milliseconds from 0.`,
  )
}

function isId(id: unknown): boolean {
  return typeof id === 'string' && id !== ''
}

/** Without the id: it may be a whole key in the wrong place. */
function unknownId(): TypeError {
  return new TypeError('There is no key with this id. Expected the id of a key, as list() tells it.')
}
