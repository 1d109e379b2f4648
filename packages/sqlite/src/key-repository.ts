import { setImmediate as others } from 'node:timers/promises'
import {
  type KeyFields,
  type KeyRepository,
  type KeySecret,
  type StoredKey,
  storableText,
} from '@sluice/core/store'
import type { Connection } from './connection.ts'
import type { SqlRow, SqlStatement, SqlValue } from './drivers/driver.ts'

const minuteMs = 60_000

/** One row for each secret of a key, or one for a key without secrets. */
const keys = `SELECT k.*, s.digest AS secret_digest, s.created_at AS secret_created_at, s.expires_at AS secret_expires_at
FROM sluice_key AS k LEFT JOIN sluice_key_secret AS s ON s.key_id = k.id`
const newestFirst = 'ORDER BY k.created_at DESC, k.row DESC, s.created_at DESC, s.row DESC'
/** Keys per statement of a list. SQLite blocks the event loop, which continues between statements. */
const stepKeys = 500
/** The last keys before a row. */
const step = keys.replace(
  'sluice_key AS k',
  `(SELECT * FROM sluice_key WHERE row < ? ORDER BY row DESC LIMIT ${stepKeys}) AS k`,
)

/** Creates the key repository in SQLite. */
export function sqliteKeyRepository(connection: Connection): KeyRepository {
  return {
    async insert(key: StoredKey): Promise<void> {
      await connection.write([
        {
          sql: `INSERT INTO sluice_key (id, name, models, tags, limits, disabled, created_at, expires_at, last_used_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          args: [
            ...[key.id, key.name, key.models, key.tags, key.limits, key.disabled].map(toColumnValue),
            ...[key.createdAt, key.expiresAt, key.lastUsedAt].map(toColumnValue),
          ],
        },
        // Of two secrets with the same time, the one with the higher row is newer.
        ...[...key.secrets].reverse().map(secret => insertSecret(key.id, secret)),
      ])
    },

    async list(): Promise<readonly StoredKey[]> {
      const found: StoredKey[] = []
      let before: SqlValue | undefined = Number.MAX_SAFE_INTEGER
      while (before !== undefined) {
        const rows: readonly SqlRow[] = await connection.read(
          `${step} ORDER BY k.row DESC, s.created_at DESC, s.row DESC`,
          [before],
        )
        found.push(...parseKeys(rows))
        const last = rows.at(-1)
        before = last && Number(last.row)
        await others()
      }
      return found.sort((one, other) => other.createdAt - one.createdAt)
    },

    async get(id: string): Promise<StoredKey | undefined> {
      return parseKeys(await connection.read(`${keys} WHERE k.id = ? ${newestFirst}`, [storableText(id)]))[0]
    },

    async update(id: string, changes: Partial<KeyFields>): Promise<boolean> {
      const given = Object.entries(fieldColumns).flatMap(([field, column]) => {
        const value = changes[field as keyof KeyFields]
        return value === undefined ? [] : [{ column, value: toColumnValue(value) }]
      })
      // Without changes the statement still returns whether the key exists.
      const sets = ['id = id', ...given.map(({ column }) => `${column} = ?`)]
      const [changed] = await connection.write([
        {
          sql: `UPDATE sluice_key SET ${sets.join(', ')} WHERE id = ?`,
          args: [...given.map(({ value }) => value), storableText(id)],
        },
      ])
      return changed === 1
    },

    async addSecret(id: string, secret: KeySecret, endAt: number, now: number): Promise<boolean> {
      const key = storableText(id)
      const [, , added] = await connection.write([
        {
          sql: 'DELETE FROM sluice_key_secret WHERE key_id = ? AND expires_at < ?',
          args: [key, toColumnValue(now)],
        },
        {
          sql: 'UPDATE sluice_key_secret SET expires_at = min(coalesce(expires_at, ?), ?) WHERE key_id = ?',
          args: [endAt, endAt, key].map(toColumnValue),
        },
        insertSecret(key, secret),
      ])
      return added === 1
    },

    async delete(id: string): Promise<boolean> {
      const key = storableText(id)
      // SQLite cascades deletes only if the connection turns foreign keys on.
      const [, deleted] = await connection.write([
        { sql: 'DELETE FROM sluice_key_secret WHERE key_id = ?', args: [key] },
        { sql: 'DELETE FROM sluice_key WHERE id = ?', args: [key] },
      ])
      return deleted === 1
    },

    async findByDigest(digest: string, now: number): Promise<StoredKey | undefined> {
      const owner = 'SELECT key_id FROM sluice_key_secret WHERE digest = ?'
      const rows = await connection.read(`${keys} WHERE k.id = (${owner}) ${newestFirst}`, [
        storableText(digest),
      ])
      const [key] = parseKeys(rows)
      if (key !== undefined && isUseToRecord(key, digest, now)) await recordUse(connection, key.id, now)
      return key
    },
  }
}

const fieldColumns = {
  name: 'name',
  models: 'models',
  tags: 'tags',
  limits: 'limits',
  disabled: 'disabled',
  expiresAt: 'expires_at',
} as const satisfies Record<keyof KeyFields, string>

function insertSecret(id: string, { digest, createdAt, expiresAt }: KeySecret): SqlStatement {
  return {
    sql: `INSERT INTO sluice_key_secret (digest, key_id, created_at, expires_at)
SELECT ?, id, ?, ? FROM sluice_key WHERE id = ?`,
    args: [digest, createdAt, expiresAt, id].map(toColumnValue),
  }
}

/** Whether to record this use: once a minute, and not for an expired secret. */
function isUseToRecord({ lastUsedAt, secrets }: StoredKey, digest: string, now: number): boolean {
  if (lastUsedAt !== null && now - lastUsedAt < minuteMs) return false
  return secrets.some(secret => secret.digest === digest && (secret.expiresAt ?? Infinity) > now)
}

/** Ignores failures: a key is valid even if the file is busy or its disk is full. */
async function recordUse(connection: Connection, id: string, now: number): Promise<void> {
  const sql = 'UPDATE sluice_key SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at <= ?, true)'
  try {
    await connection.writeNow([{ sql, args: [now, id, now - minuteMs].map(toColumnValue) }])
  } catch {
    // A later use is recorded.
  }
}

/** Lists and objects are stored as JSON, times as whole milliseconds. */
function toColumnValue(value: KeyFields[keyof KeyFields]): SqlValue {
  if (typeof value === 'string') return storableText(value)
  if (typeof value === 'number') {
    return Math.round(Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER))
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

function parseKeys(rows: readonly SqlRow[]): StoredKey[] {
  const found = new Map<string, Omit<StoredKey, 'secrets'> & { readonly secrets: KeySecret[] }>()
  for (const row of rows) {
    const id = String(row.id)
    const key = found.get(id) ?? {
      id,
      name: String(row.name),
      models: parseJson<StoredKey['models']>(row.models),
      tags: parseJson<StoredKey['tags']>(row.tags),
      limits: parseJson<StoredKey['limits']>(row.limits),
      // Any other value than 0, which may be written by hand.
      disabled: row.disabled !== 0,
      createdAt: Number(row.created_at),
      expiresAt: numberOrNull(row.expires_at),
      lastUsedAt: numberOrNull(row.last_used_at),
      secrets: [],
    }
    found.set(id, key)
    if (row.secret_digest === null) continue
    key.secrets.push({
      digest: String(row.secret_digest),
      createdAt: Number(row.secret_created_at),
      expiresAt: numberOrNull(row.secret_expires_at),
    })
  }
  return [...found.values()]
}

/** Returns invalid JSON, which was written by hand, as the text: the key with it is refused. */
function parseJson<T>(text: unknown): T | null {
  if (typeof text !== 'string') return null
  try {
    return JSON.parse(text) as T
  } catch {
    return text as T
  }
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}
