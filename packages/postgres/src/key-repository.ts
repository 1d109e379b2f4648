import {
  type KeyFields,
  type KeyRepository,
  type KeySecret,
  type StoredKey,
  storableText,
} from '@sluice/core/store'
import type { Queries } from './queries.ts'
import { textColumn } from './row-values.ts'
import { isUnwritable } from './store-error.ts'
import { msFromTimestamp, timestampFromMs } from './timestamps.ts'

/** SQL for a time in a parameter, or null. */
const timeIn = (param: string) => timestampFromMs(`${param}::text::bigint`)
const jsonIn = (param: string) => `${param}::text::jsonb`

/**
 * A key as JSON. Its secrets are in its row, so that concurrent changes of them see each other. The table of digests
 * finds the row: the planner may ignore an index on the secrets, as when statistics are stale after a bulk insert.
 */
const key = `json_build_object('id', id, 'name', name, 'models', models, 'tags', tags, 'limits', limits,
  'disabled', disabled, 'createdAt', ${msFromTimestamp('created_at')}, 'expiresAt', ${msFromTimestamp('expires_at')},
  'lastUsedAt', ${msFromTimestamp('last_used_at')}, 'secrets', secrets)::text as key`

/** Creates the key repository in PostgreSQL. */
export function postgresKeyRepository(queries: Queries): KeyRepository {
  const keys = `${queries.schema.sql}.keys`
  const digests = `${queries.schema.sql}.key_digests`
  const hasDigest = (digest: string) =>
    `secrets @> jsonb_build_array(jsonb_build_object('digest', ${digest}))`
  const hasSecret = `id in (select key_id from ${digests} where digest = $1::text) and ${hasDigest('$1::text')}`
  return {
    async insert(stored: StoredKey): Promise<void> {
      await queries.run(
        `with stored as (
insert into ${keys} (id, name, models, tags, limits, disabled, created_at, expires_at, last_used_at, secrets)
select given->>'id', given->>'name', ${['models', 'tags', 'limits'].map(name => `nullif(given->'${name}', 'null')`).join(', ')},
  (given->>'disabled')::boolean, ${['createdAt', 'expiresAt', 'lastUsedAt'].map(name => timestampFromMs(`(given->>'${name}')::bigint`)).join(', ')},
  given->'secrets'
from (select ${jsonIn('$1')} as given) as one
returning id, secrets
)
insert into ${digests} (digest, key_id)
select secret->>'digest', id from stored, jsonb_array_elements(secrets) as secret`,
        [
          storedJson({
            ...stored,
            createdAt: whole(stored.createdAt),
            expiresAt: stored.expiresAt && whole(stored.expiresAt),
          }),
        ],
      )
    },

    async list(): Promise<readonly StoredKey[]> {
      const rows = await queries.run(`select ${key} from ${keys} order by created_at desc, serial desc`)
      return rows.map(storedKey)
    },

    async get(id: string): Promise<StoredKey | undefined> {
      const rows = await queries.run(`select ${key} from ${keys} where id = $1::text`, [storableText(id)])
      return rows.map(storedKey)[0]
    },

    async update(id: string, changes: Partial<KeyFields>): Promise<boolean> {
      const params = [storableText(id)]
      const sets = Object.entries(fields).flatMap(([field, set]) => {
        const value = changes[field as keyof KeyFields]
        if (value === undefined) return []
        return [set(value === null ? 'null' : `$${params.push(textOf(value))}`)]
      })
      // Without changes the statement still returns whether the key exists.
      const rows = await queries.run(
        `update ${keys} set ${['id = id', ...sets].join(', ')} where id = $1::text returning 'yes' as there`,
        params,
      )
      return rows.length > 0
    },

    async addSecret(id: string, secret: KeySecret, endAt: number, now: number): Promise<boolean> {
      const ends = `(secret->>'expiresAt')::bigint`
      const rows = await queries.run(
        `with changed as (
update ${keys} set secrets = ${jsonIn('$2')} || coalesce((
  select jsonb_agg(secret || jsonb_build_object('expiresAt', least(${ends}, $3::text::bigint)) order by ordinal)
  from jsonb_array_elements(secrets) with ordinality as before (secret, ordinal)
  where ${ends} is null or ${ends} >= $4::text::bigint
), '[]')
where id = $1::text returning id, secrets
), gone as (
  delete from ${digests} as stored using changed
  where stored.key_id = changed.id and not changed.${hasDigest('stored.digest')}
), added as (
  insert into ${digests} (digest, key_id)
  select secret->>'digest', id from changed, jsonb_array_elements(${jsonIn('$2')}) as secret
)
select 'yes' as there from changed`,
        [storableText(id), storedJson([secret]), wholeText(endAt), wholeText(now)],
      )
      return rows.length > 0
    },

    async delete(id: string): Promise<boolean> {
      // Deletes its digests too, by their foreign key.
      const rows = await queries.run(`delete from ${keys} where id = $1::text returning 'yes' as there`, [
        storableText(id),
      ])
      return rows.length > 0
    },

    async findByDigest(digest: string, now: number): Promise<StoredKey | undefined> {
      const params = [storableText(digest), wholeText(now)]
      const used = `with due as (
  select id from ${keys} where ${hasSecret}
    and (last_used_at is null or last_used_at <= ${timeIn('$2')} - interval '1 minute')
    and exists (
      select from jsonb_array_elements(secrets) as secret where secret->>'digest' = $1::text
      and coalesce((secret->>'expiresAt')::bigint > $2::text::bigint, true)
    )
  for update skip locked
), used as (
  update ${keys} as stored set last_used_at = ${timeIn('$2')} from due where stored.id = due.id
)
select ${key} from ${keys} where ${hasSecret}`
      try {
        return (await queries.run(used, params)).map(storedKey)[0]
      } catch (error) {
        if (!isUnwritable(error)) throw error
        const found = await queries.run(`select ${key} from ${keys} where ${hasSecret}`, params.slice(0, 1))
        return found.map(storedKey)[0]
      }
    },
  }
}

/** SQL that sets a field to a parameter or to null. */
const fields: Record<keyof KeyFields, (param: string) => string> = {
  name: param => `name = ${param}::text`,
  models: param => `models = ${jsonIn(param)}`,
  tags: param => `tags = ${jsonIn(param)}`,
  limits: param => `limits = ${jsonIn(param)}`,
  disabled: param => `disabled = ${param}::text::boolean`,
  expiresAt: param => `expires_at = ${timeIn(param)}`,
}

function textOf(value: NonNullable<KeyFields[keyof KeyFields]>): string {
  if (typeof value === 'string') return storableText(value)
  if (typeof value === 'number') return wholeText(value)
  return typeof value === 'boolean' ? String(value) : storedJson(value)
}

/** PostgreSQL's calendar begins earlier. A key that expired before this time has expired. */
const earliestMs = -200_000_000_000_000

/** Bounds a time to the range of `bigint` and of PostgreSQL's calendar. */
function whole(ms: number): number {
  return Math.round(Math.min(Math.max(ms, earliestMs), Number.MAX_SAFE_INTEGER))
}

function wholeText(ms: number): string {
  return String(whole(ms))
}

/** JSON whose strings PostgreSQL can store. */
function storedJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'string' ? storableText(member) : member,
  )
}

function storedKey(row: unknown): StoredKey {
  return JSON.parse(textColumn(row, 'key')) as StoredKey
}
