import { describe, expect, it, onTestFinished } from 'vitest'
import { Connection } from './connection.ts'
import { migrate, schemaVersion } from './migrate.ts'
import { migrations } from './migrations.ts'
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

describe('migrate', () => {
  it('brings an empty database to the newest version, step by step, once', async () => {
    const [connection] = await connections(1)
    expect(await schemaVersion(connection!)).toBe(0)
    await migrate(connection!)
    expect(await schemaVersion(connection!)).toBe(migrations.length)
    await migrate(connection!, steps)
    await migrate(connection!, steps)
    expect(await schemaVersion(connection!)).toBe(3)
    expect(await connection!.read('SELECT count(*) AS n FROM second')).toMatchObject([{ n: 1 }])
    expect(await connection!.read('SELECT version, name FROM sluice_migration')).toMatchObject([
      { version: 1, name: 'keys and records' },
      { version: 2, name: 'second' },
      { version: 3, name: 'third' },
    ])
  })

  it('is done once where many begin at the same time', async () => {
    const all = await connections(5)
    await Promise.all(all.map(connection => migrate(connection, steps)))
    for (const connection of all) expect(await schemaVersion(connection)).toBe(3)
    expect(await all[0]!.read('SELECT count(*) AS n FROM second')).toMatchObject([{ n: 1 }])
  })

  it('leaves nothing of a step that fails, and goes on from there', async () => {
    const [connection] = await connections(1)
    const broken = [
      ...steps.slice(0, 2),
      { name: 'third', statements: ['CREATE TABLE half (x)', 'CREATE nonsense'] },
    ]
    await expect(migrate(connection!, broken)).rejects.toThrow('syntax error')
    expect(await schemaVersion(connection!)).toBe(2)
    expect(await connection!.read("SELECT 1 FROM sqlite_schema WHERE name = 'half'")).toHaveLength(0)
    await migrate(connection!, steps)
    expect(await schemaVersion(connection!)).toBe(3)
  })

  it('refuses a database of a newer version, and changes nothing in it', async () => {
    const [connection] = await connections(1)
    await migrate(connection!, steps)
    await expect(migrate(connection!)).rejects.toThrow(
      'The database is of version 3, this @sluice/sqlite knows versions up to 1. Update the package.',
    )
    expect(await schemaVersion(connection!)).toBe(3)
  })
})
