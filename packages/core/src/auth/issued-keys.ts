import { systemClock } from '../clock/clock.ts'
import type { ApiKeyRecord, KeyRepository, KeySecret, KeyStore, StoredKey } from '../contracts/key-store.ts'
import type { LimitRuleData } from '../contracts/principal.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { randomBytes } from '../primitives/random.ts'
import { defaultPrefix, keyForm, newKey, newKeyId } from './issued-key.ts'
import { digestsOf, type Pepper, sameDigest } from './key-digest.ts'
import { keyFields } from './key-record.ts'

/** Options of `keyStore`. */
export interface KeyStoreOptions {
  /** Prefix of every key, before `_`: a lower-case letter, then lower-case letters and digits. Default `sluice`. */
  readonly prefix?: string | undefined
  /** Secrets for HMAC-SHA-256 digests of keys, newest first. Default: plain SHA-256. */
  readonly pepper?: Pepper
  /** Returns milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
  /** Returns `length` random bytes. Default: from `crypto.getRandomValues`. */
  readonly random?: ((length: number) => Uint8Array) | undefined
}

const repositoryMethods = ['insert', 'list', 'get', 'update', 'addSecret', 'delete', 'findByDigest'] as const
const issuedFields = ['name', 'models', 'tags', 'limits', 'expiresAt'] as const
/** The maximum time of a `Date`. */
const maxDateMs = 8_640_000_000_000_000

/**
 * Creates a store of API keys that can be issued, changed and revoked while gateways run. Pass it to `apiKeys`. Only digests
 * of keys are stored: `issue` and `rotate` return the text of a key, once.
 *
 * A key is `<prefix>_<id>_<secret><checksum>`: an id of 12 characters, which is the id of the principal, a secret of 256 bits,
 * and a checksum, which rejects typos without a database query.
 *
 * Throws `TypeError` for an invalid prefix, pepper or repository.
 */
export function keyStore(rows: KeyRepository, given: KeyStoreOptions = {}): KeyStore {
  const options = ownMembers(given)
  const { prefix = defaultPrefix, now = systemClock.now, random = randomBytes } = options
  const isOurs = keyForm(prefix)
  const digestsUnder = digestsOf(options.pepper)
  const missing = repositoryMethods.find(name => typeof rows?.[name] !== 'function')
  if (missing !== undefined) {
    throw new TypeError(
      `keyStore(): got an invalid key repository, expected one with the function ${missing}.`,
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
      if (fields.name === undefined) throw new TypeError('A key needs a name, such as { name: "ci" }.')
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

/** Expires with its secret if that expires first, so that a cached record expires on time. */
function recordOf(
  { id, models, tags, limits, disabled, expiresAt }: StoredKey,
  secret: KeySecret,
): ApiKeyRecord {
  const ends = [expiresAt, secret.expiresAt].filter(end => end !== null)
  return { id, models, tags, limits, disabled, expiresAt: ends.length === 0 ? null : Math.min(...ends) }
}

function overlapOf(given: { readonly overlapMs?: number }): number {
  const { overlapMs = 0 } = ownMembers(given)
  if (typeof overlapMs === 'number' && overlapMs >= 0 && overlapMs <= maxDateMs / 2)
    return Math.floor(overlapMs)
  throw new TypeError(
    `rotate(): overlapMs is ${String(overlapMs)}, expected a number of milliseconds from 0.`,
  )
}

function isId(id: unknown): boolean {
  return typeof id === 'string' && id !== ''
}

/** Does not show the id: it may be a key that was passed by mistake. */
function unknownId(): TypeError {
  return new TypeError('There is no key with this id. Expected the id of a key, as in list().')
}
