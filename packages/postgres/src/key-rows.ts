import {
  type KeyFields,
  type KeyRepository,
  type KeySecret,
  type StoredKey,
  storableText,
} from '@sluice/core/store'
import { momentOf, msOf } from './moment.ts'
import type { Queries } from './queries.ts'
import { textIn } from './row.ts'
import { PostgresError } from './store-error.ts'

/** SQL for a time that is given in a parameter, or for null. */
const timeIn = (param: string) => momentOf(`${param}::text::bigint`)
const jsonIn = (param: string) => `${param}::text::jsonb`

/**
 * A whole key as JSON. The secrets of a key stand in its row: what changes them sees what changed them before. The table
 * of digests only says which row to look at: an index on the secrets is used or not by what is known of the table, and
 * after many keys were issued at once nothing is.
 */
const key = `json_build_object('id', id, 'name', name, 'models', models, 'tags', tags, 'limits', limits,
  'disabled', disabled, 'createdAt', ${msOf('created_at')}, 'expiresAt', ${msOf('expires_at')},
  'lastUsedAt', ${msOf('last_used_at')}, 'secrets', secrets)::text as key`

/**
 * Where the note of a use cannot be written, the key is good all the same: in a read-only standby, on a full disk, or
 * for a user who may only read keys.
 */
const unwritable = new Set(['25006', '53100', '42501'])

/** The table under a key store, in PostgreSQL. */
export function postgresKeyRows(queries: Queries): KeyRepository {
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
  (given->>'disabled')::boolean, ${['createdAt', 'expiresAt', 'lastUsedAt'].map(name => momentOf(`(given->>'${name}')::bigint`)).join(', ')},
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
      // With nothing to change it still says whether the key is there.
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
  select jsonb_agg(secret || jsonb_build_object('expiresAt', least(${ends}, $3::text::bigint)) order by place)
  from jsonb_array_elements(secrets) with ordinality as before (secret, place)
  where ${ends} is null or ${ends} >= $4::text::bigint
), '[]')
where id = $1::text returning id, secrets
), gone as (
  delete from ${digests} as kept using changed
  where kept.key_id = changed.id and not changed.${hasDigest('kept.digest')}
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
      // Its digests go with it: they refer to it.
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
  update ${keys} as kept set last_used_at = ${timeIn('$2')} from due where kept.id = due.id
)
select ${key} from ${keys} where ${hasSecret}`
      try {
        return (await queries.run(used, params)).map(storedKey)[0]
      } catch (error) {
        if (!(error instanceof PostgresError && unwritable.has(error.code ?? ''))) throw error
        const found = await queries.run(`select ${key} from ${keys} where ${hasSecret}`, params.slice(0, 1))
        return found.map(storedKey)[0]
      }
    },
  }
}

/** What sets a field to a parameter, or to null. */
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

/** Later than PostgreSQL's calendar begins. What ended before that has ended. */
const earliestMs = -200_000_000_000_000

/** Within what both a `bigint` and PostgreSQL's calendar hold. */
function whole(ms: number): number {
  return Math.round(Math.min(Math.max(ms, earliestMs), Number.MAX_SAFE_INTEGER))
}

function wholeText(ms: number): string {
  return String(whole(ms))
}

/** JSON in which every text and number can be kept. */
function storedJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'string' ? storableText(member) : member,
  )
}

function storedKey(row: unknown): StoredKey {
  return JSON.parse(textIn(row, 'key')) as StoredKey
}
