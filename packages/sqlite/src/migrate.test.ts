import { apiKeys } from '@sluice/core'
import { keyStore } from '@sluice/core/keys'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connection } from './connection.ts'
import { sqliteKeyRepository } from './key-repository.ts'
import { sqliteLedgerRepository } from './ledger-repository.ts'
import { migrate, schemaVersion } from './migrate.ts'
import { migrations } from './migrations.ts'
import { openSqlite } from './open-sqlite.ts'
import { temporaryFile } from './temporary-file.ts'

async function connections(count: number): Promise<Connection[]> {
  const { url, remove } = await temporaryFile()
  onTestFinished(remove)
  const opened: Connection[] = []
  for (let i = 0; i < count; i++) {
    const connection = await Connection.open(url)
    onTestFinished(() => connection.close())
    opened.push(connection)
  }
  return opened
}

const steps = [
  ...migrations,
  { name: 'second', statements: ['CREATE TABLE second (x)', 'INSERT INTO second VALUES (1)'] },
  { name: 'third', statements: ['ALTER TABLE second ADD COLUMN y'] },
]

const newest = steps.length

describe('migrate', () => {
  it('brings an empty database to the newest version, step by step, once', async () => {
    const [connection] = await connections(1)
    expect(await schemaVersion(connection!)).toBe(0)
    await migrate(connection!)
    expect(await schemaVersion(connection!)).toBe(migrations.length)
    await migrate(connection!, steps)
    await migrate(connection!, steps)
    expect(await schemaVersion(connection!)).toBe(newest)
    expect(await connection!.read('SELECT count(*) AS n FROM second')).toMatchObject([{ n: 1 }])
    expect(await connection!.read('SELECT version, name FROM sluice_migration')).toMatchObject([
      { version: 1, name: 'keys and records' },
      { version: 2, name: 'kinds of records' },
      { version: 3, name: 'models that answers name' },
      { version: 4, name: 'outcome client_disconnected' },
      { version: 5, name: 'operations, dialects, sources and end users' },
      { version: 6, name: 'responses' },
      { version: 7, name: 'request log' },
      { version: 8, name: 'hooks of records' },
      { version: 9, name: 'bodies of requests' },
      { version: 10, name: 'claims of alerts' },
      { version: 11, name: 'second' },
      { version: 12, name: 'third' },
    ])
  })

  it('is done once where many begin at the same time', async () => {
    const all = await connections(5)
    await Promise.all(all.map(connection => migrate(connection, steps)))
    for (const connection of all) expect(await schemaVersion(connection)).toBe(newest)
    expect(await all[0]!.read('SELECT count(*) AS n FROM second')).toMatchObject([{ n: 1 }])
  })

  it('leaves nothing of a step that fails, and goes on from there', async () => {
    const [connection] = await connections(1)
    const broken = [
      ...steps.slice(0, -1),
      { name: 'third', statements: ['CREATE TABLE half (x)', 'CREATE nonsense'] },
    ]
    await expect(migrate(connection!, broken)).rejects.toThrow('syntax error')
    expect(await schemaVersion(connection!)).toBe(newest - 1)
    expect(await connection!.read("SELECT 1 FROM sqlite_schema WHERE name = 'half'")).toHaveLength(0)
    await migrate(connection!, steps)
    expect(await schemaVersion(connection!)).toBe(newest)
  })

  it('takes the records that were there for requests', async () => {
    const [connection] = await connections(1)
    await migrate(connection!, migrations.slice(0, 1))
    await connection!.write([
      `INSERT INTO sluice_record (id, request_id, principal, tags, model, stream, opened_at, seen_at, closed_at, status,
        prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated)
      VALUES ('a', 'req_a', 'ann', '{}', 'm', 0, 1, 1, 2, 200, 5, 0, 0, 0, 0)`,
    ])
    await migrate(connection!)
    const rows = sqliteLedgerRepository(connection!)
    expect(await rows.usage({ by: ['key', 'kind'] })).toMatchObject([
      { by: { key: 'ann', kind: 'request' }, requests: 1, promptTokens: 5 },
    ])
  })

  it('renames the outcome client_aborted of records of version 3, and no other', async () => {
    const [connection] = await connections(1)
    await migrate(connection!, migrations.slice(0, 3))
    await connection!.write(
      ['client_aborted', 'completed', 'lost', null].map((outcome, index) => ({
        sql: `INSERT INTO sluice_record (id, request_id, principal, tags, model, stream, opened_at, seen_at, outcome,
            prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated)
          VALUES (?, 'req_a', 'ann', '{}', 'm', 0, 1, 1, ?, 5, 0, 0, 0, 0)`,
        args: [`id${index}`, outcome],
      })),
    )
    await migrate(connection!)
    const records = await connection!.read('SELECT outcome FROM sluice_record ORDER BY id')
    expect(records.map(({ outcome }) => outcome)).toEqual(['client_disconnected', 'completed', 'lost', null])
  })

  it('takes the records of version 4 for chat completions, also those that a process of it still writes', async () => {
    const [connection] = await connections(1)
    await migrate(connection!, migrations.slice(0, 4))
    const write = (id: string) =>
      connection!.write([
        `INSERT INTO sluice_record (kind, id, request_id, principal, tags, model, stream, opened_at, seen_at, closed_at,
          outcome, status, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated)
        VALUES ('request', '${id}', 'req', 'ann', '{}', 'm', 0, 1, 1, 2, 'completed', 200, 5, 0, 0, 0, 0)`,
      ])
    await write('a')
    await migrate(connection!)
    await write('b')
    const rows = sqliteLedgerRepository(connection!)
    const by = ['key', 'source', 'user', 'operation', 'dialect'] as const
    expect(await rows.usage({ by })).toMatchObject([
      {
        by: { key: 'ann', source: null, user: null, operation: 'generate', dialect: 'chat' },
        requests: 2,
        promptTokens: 10,
      },
    ])
    expect(await rows.usage({ by: [], where: { operation: 'embed' } })).toMatchObject([{ requests: 0 }])
  })

  it('lets in a key that version 3 issued with a shadow rule, which stays a dry run', async () => {
    const { url, remove } = await temporaryFile()
    onTestFinished(remove)
    const connection = await Connection.open(url)
    await migrate(connection, migrations.slice(0, 3))
    const { key, stored } = await keyStore(sqliteKeyRepository(connection)).issue({ name: 'a' })
    const limits = '[{"kind":"requests","limit":1,"per":"minute","shadow":true}]'
    await connection.write([{ sql: 'UPDATE sluice_key SET limits = ?', args: [limits] }])
    connection.close()
    const database = await openSqlite({ url })
    onTestFinished(() => database.close())
    const request = new Request('http://a/', { headers: { authorization: `Bearer ${key}` } })
    expect(await apiKeys(database.keys)(request, undefined)).toMatchObject({
      id: stored.id,
      limits: [{ kind: 'requests', limit: 1, per: 'minute', mode: 'dryRun' }],
    })
  })

  it('refuses a database of a newer version, and changes nothing in it', async () => {
    const [connection] = await connections(1)
    await migrate(connection!, steps)
    await expect(migrate(connection!)).rejects.toThrow(
      'The database is of version 12, this @sluice/sqlite knows versions up to 10. Update the package.',
    )
    expect(await schemaVersion(connection!)).toBe(newest)
  })
})
