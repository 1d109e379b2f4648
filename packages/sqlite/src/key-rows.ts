import { setImmediate as others } from 'node:timers/promises'
import type { InStatement, InValue, Row } from '@libsql/client/sqlite3'
import {
  type KeyFields,
  type KeyRepository,
  type KeySecret,
  type StoredKey,
  storableText,
} from '@sluice/core/store'
import type { Connection } from './connection.ts'

const minuteMs = 60_000

/** Each key as often as it has secrets, or once. */
const keys = `SELECT k.*, s.digest AS secret_digest, s.created_at AS secret_created_at, s.expires_at AS secret_expires_at
FROM sluice_key AS k LEFT JOIN sluice_key_secret AS s ON s.key_id = k.id`
const newestFirst = 'ORDER BY k.created_at DESC, k.row DESC, s.created_at DESC, s.row DESC'
/** How many keys are listed before others have their turn: a statement runs in the thread that asks. */
const stepKeys = 500
/** `keys`, of those that were written before one, the last ones. */
const step = keys.replace(
  'sluice_key AS k',
  `(SELECT * FROM sluice_key WHERE row < ? ORDER BY row DESC LIMIT ${stepKeys}) AS k`,
)

/** The tables under a key store, in SQLite. */
export function sqliteKeyRows(connection: Connection): KeyRepository {
  return {
    async insert(key: StoredKey): Promise<void> {
      await connection.write([
        {
          sql: `INSERT INTO sluice_key (id, name, models, tags, limits, disabled, created_at, expires_at, last_used_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          args: [
            ...[key.id, key.name, key.models, key.tags, key.limits, key.disabled].map(stored),
            ...[key.createdAt, key.expiresAt, key.lastUsedAt].map(stored),
          ],
        },
        // Of two with one time, the one that was written last is the newer one.
        ...[...key.secrets].reverse().map(secret => insertSecret(key.id, secret)),
      ])
    },

    async list(): Promise<readonly StoredKey[]> {
      const found: StoredKey[] = []
      let before: InValue | undefined = Number.MAX_SAFE_INTEGER
      while (before !== undefined) {
        const rows: readonly Row[] = await connection.read(
          `${step} ORDER BY k.row DESC, s.created_at DESC, s.row DESC`,
          [before],
        )
        found.push(...storedKeys(rows))
        before = rows.at(-1)?.row
        await others()
      }
      return found.sort((one, other) => other.createdAt - one.createdAt)
    },

    async get(id: string): Promise<StoredKey | undefined> {
      return storedKeys(await connection.read(`${keys} WHERE k.id = ? ${newestFirst}`, [storableText(id)]))[0]
    },

    async update(id: string, changes: Partial<KeyFields>): Promise<boolean> {
      const given = Object.entries(fieldColumns).flatMap(([field, column]) => {
        const value = changes[field as keyof KeyFields]
        return value === undefined ? [] : [{ column, value: stored(value) }]
      })
      // With nothing to change it still says whether the key is there.
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
          args: [key, stored(now)],
        },
        {
          sql: 'UPDATE sluice_key_secret SET expires_at = min(coalesce(expires_at, ?), ?) WHERE key_id = ?',
          args: [endAt, endAt, key].map(stored),
        },
        insertSecret(key, secret),
      ])
      return added === 1
    },

    async delete(id: string): Promise<boolean> {
      const key = storableText(id)
      // Whether SQLite does the first by itself is a setting of the connection.
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
      const [key] = storedKeys(rows)
      if (key !== undefined && isUse(key, digest, now)) await noteUse(connection, key.id, now)
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

function insertSecret(id: string, { digest, createdAt, expiresAt }: KeySecret): InStatement {
  return {
    sql: `INSERT INTO sluice_key_secret (digest, key_id, created_at, expires_at)
SELECT ?, id, ?, ? FROM sluice_key WHERE id = ?`,
    args: [digest, createdAt, expiresAt, id].map(stored),
  }
}

/** Whether this is a use that has to be noted: once a minute, and not of a secret that has ended. */
function isUse({ lastUsedAt, secrets }: StoredKey, digest: string, now: number): boolean {
  if (lastUsedAt !== null && now - lastUsedAt < minuteMs) return false
  return secrets.some(secret => secret.digest === digest && (secret.expiresAt ?? Infinity) > now)
}

/** A key is good also where that cannot be noted: the file is busy, or its disk is full. */
async function noteUse(connection: Connection, id: string, now: number): Promise<void> {
  const sql = 'UPDATE sluice_key SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at <= ?, true)'
  try {
    await connection.writeNow([{ sql, args: [now, id, now - minuteMs].map(stored) }])
  } catch {
    // It is noted at a later use.
  }
}

/** Lists and objects are kept as JSON, times in whole milliseconds. */
function stored(value: KeyFields[keyof KeyFields]): InValue {
  if (typeof value === 'string') return storableText(value)
  if (typeof value === 'number') {
    return Math.round(Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER))
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

function storedKeys(rows: readonly Row[]): StoredKey[] {
  const found = new Map<string, Omit<StoredKey, 'secrets'> & { readonly secrets: KeySecret[] }>()
  for (const row of rows) {
    const id = String(row.id)
    const key = found.get(id) ?? {
      id,
      name: String(row.name),
      models: parsed<StoredKey['models']>(row.models),
      tags: parsed<StoredKey['tags']>(row.tags),
      limits: parsed<StoredKey['limits']>(row.limits),
      // Whatever was written there by hand, but for 0.
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

/** What is no JSON was written by hand. It stays a text, which is no list and no object: that key lets nobody in. */
function parsed<T>(text: unknown): T | null {
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
