import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { apiKeys } from '@sluice/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connection } from './connection.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import { openSqlite } from './open-sqlite.ts'
import { type TemporaryFile, temporaryFile } from './temporary-file.ts'

async function place(): Promise<TemporaryFile> {
  const file = await temporaryFile()
  onTestFinished(file.remove)
  return file
}

const entry = {
  id: '0190a000-0000-7000-8000-000000000001',
  requestId: 'req_1',
  operation: 'generate' as const,
  dialect: 'chat',
  principal: 'ann',
  tags: { team: 'search' },
  model: 'small',
  stream: false,
  openedAt: Date.UTC(2026, 10, 21),
  estimate: { promptTokens: 7, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0, cost: 0.001 },
}

describe('openSqlite', () => {
  it('makes a file, keeps keys and records in it, and finds them again', async () => {
    const { url } = await place()
    const first = await openSqlite({ url })
    const { key, stored } = await first.keys.issue({ name: 'Ann', tags: { team: 'search' } })
    await first.ledger.open(entry, () => undefined)
    await first.ledger.close({
      entry,
      closedAt: entry.openedAt + 5,
      outcome: 'completed',
      status: 200,
      provider: 'openai',
      upstreamModel: 'gpt',
      responseModel: 'gpt-2026-01-01',
      attempts: 1,
      charge: { ...entry.estimate, completionTokens: 3, cost: 0.002 },
      estimated: false,
      firstByteMs: 1,
      totalMs: 5,
    })
    await first.close()
    await first.close()

    const second = await openSqlite({ url })
    onTestFinished(() => second.close())
    await second.migrate()
    expect(await second.keys.list()).toEqual([stored])
    const request = new Request('http://x', { headers: { authorization: `Bearer ${key}` } })
    expect(await apiKeys(second.keys)(request, undefined)).toMatchObject({
      id: stored.id,
      tags: { team: 'search' },
    })
    expect(await second.usage({ by: ['key', 'tag:team', 'day'] })).toEqual([
      {
        by: { key: 'ann', 'tag:team': 'search', day: '2026-11-21' },
        requests: 1,
        promptTokens: 7,
        completionTokens: 3,
        cachedTokens: 0,
        reasoningTokens: 0,
        cost: 0.002,
        unpriced: 0,
        estimated: 0,
        open: 0,
      },
    ])
    const connection = await Connection.open(url)
    const columns = await connection.read('SELECT upstream_model, response_model FROM sluice_record')
    expect(columns).toMatchObject([{ upstream_model: 'gpt', response_model: 'gpt-2026-01-01' }])
    connection.close()
  })

  it('makes files for their owner alone, and leaves one that is there as it is', async () => {
    const { url, path } = await place()
    const modes = () =>
      Object.fromEntries(
        ['', '-wal', '-shm'].map(end => [end, (statSync(path + end).mode & 0o777).toString(8)]),
      )
    const database = await openSqlite({ url })
    await database.keys.issue({ name: 'a' })
    expect(modes()).toEqual({ '': '600', '-wal': '600', '-shm': '600' })
    await database.close()
    await chmod(path, 0o640)
    const again = await openSqlite({ url })
    onTestFinished(() => again.close())
    expect(modes()['']).toBe('640')
  })

  it('takes no option that another library has added to every object', async () => {
    const { url, path } = await place()
    const added = { migrate: false, prefix: 'evil', maxPending: 0, journal: 7, observe: 7 }
    const properties = Object.fromEntries(
      Object.entries(added).map(([name, value]) => [name, { value, configurable: true }]),
    )
    Object.defineProperties(Object.prototype, properties)
    try {
      const database = await openSqlite({ url })
      expect((await database.keys.issue({ name: 'a' })).key).toMatch(/^sluice_/)
      await database.close()
    } finally {
      for (const name of Object.keys(added)) Reflect.deleteProperty(Object.prototype, name)
    }
    expect(existsSync(path)).toBe(true)
  })

  it('keeps a database in memory, one for each that opens it', async () => {
    const [one, other] = [await openSqlite({ url: ':memory:' }), await openSqlite({ url: ':memory:' })]
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])))
    await one.keys.issue({ name: 'a' })
    expect(await one.keys.list()).toHaveLength(1)
    expect(await other.keys.list()).toHaveLength(0)
  })

  it('keeps a pepper and a prefix for its keys', async () => {
    const { url } = await place()
    const database = await openSqlite({ url }, { prefix: 'acme', pepper: { v1: 'a secret of ours' } })
    const { key } = await database.keys.issue({ name: 'a' })
    expect(key).toMatch(/^acme_/)
    const [digest = ''] = database.keys.digests(key)
    expect(await database.keys.find(digest)).toBeDefined()
    await database.close()
    const plain = await openSqlite({ url }, { prefix: 'acme' })
    onTestFinished(() => plain.close())
    const [other = ''] = plain.keys.digests(key)
    expect(await plain.keys.find(other)).toBeUndefined()
  })

  it('is shared by several that have it open', async () => {
    const { url } = await place()
    const all = await Promise.all(Array.from({ length: 4 }, () => openSqlite({ url })))
    onTestFinished(async () => void (await Promise.all(all.map(database => database.close()))))
    await Promise.all(
      all.flatMap((database, process) =>
        Array.from({ length: 50 }, (_, index) =>
          database.ledger.open({ ...entry, id: `${process}-${index}` }, () => undefined),
        ),
      ),
    )
    const issued = await Promise.all(all.map(database => database.keys.issue({ name: 'a' })))
    for (const database of all) {
      expect((await database.usage({ by: [] }))[0]).toMatchObject({ requests: 200, open: 200 })
      expect(await database.keys.list()).toHaveLength(issued.length)
    }
  })

  it('does not answer after it was closed', async () => {
    const database = await openSqlite({ url: ':memory:' })
    await database.close()
    await expect(database.keys.list()).rejects.toThrow('The database is closed.')
    await expect(database.usage({ by: [] })).rejects.toThrow('The database is closed.')
    await expect(database.migrate()).rejects.toThrow('The database is closed.')
    await expect(Promise.resolve(database.ledger.open(entry, () => undefined))).rejects.toThrow()
  })

  it('refuses a file that was not migrated, where it is not to do that, and does not make one', async () => {
    const { url, path } = await place()
    const says = `The database is of version 0, expected ${migrations.length}. Run \`npx sluice-sqlite migrate --url ${url}\``
    await expect(openSqlite({ url }, { migrate: false })).rejects.toThrow(says)
    expect(existsSync(path)).toBe(false)
    await writeFile(path, '')
    await expect(openSqlite({ url }, { migrate: false })).rejects.toThrow(says)
    const connection = await Connection.open(url)
    await migrate(connection)
    connection.close()
    const database = await openSqlite({ url }, { migrate: false })
    await database.close()
  })

  it('refuses a file of a newer version', async () => {
    const { url } = await place()
    const connection = await Connection.open(url)
    await migrate(connection, [...migrations, { name: 'later', statements: [] }])
    connection.close()
    for (const option of [true, false]) {
      await expect(openSqlite({ url }, { migrate: option })).rejects.toThrow('Update the package.')
    }
  })

  it('refuses what is no location and no option', async () => {
    await expect(openSqlite(undefined as never)).rejects.toThrow(TypeError)
    await expect(openSqlite('file:x.db' as never)).rejects.toThrow(
      'openSqlite(): url: got a value of type undefined',
    )
    await expect(openSqlite({ url: ':memory:' }, { migrate: 'no' as never })).rejects.toThrow('migrate: got')
    await expect(openSqlite({ url: ':memory:' }, { maxPending: 0 })).rejects.toThrow(TypeError)
    await expect(openSqlite({ url: ':memory:' }, { prefix: '' })).rejects.toThrow(TypeError)
  })

  it('says what is wrong with a place where no file can be', async () => {
    const { folder } = await place()
    await expect(openSqlite({ url: `file:${folder}/missing/x.db` })).rejects.toThrow(
      'cannot be opened: its folder does not exist. Create the folder first.',
    )
    await mkdir(join(folder, 'taken'))
    await expect(openSqlite({ url: `file:${folder}/taken` })).rejects.toThrow('is a folder. Choose a file.')
  })

  it('says of a file that it is no database, or damaged, and leaves it as it is', async () => {
    const { url, path } = await place()
    const text = 'These are the accounts of the year, and no database. '.repeat(100)
    await writeFile(path, text)
    await expect(openSqlite({ url })).rejects.toThrow(
      'is not an SQLite database, or it is damaged (SQLITE_NOTADB)',
    )
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  it('says of a file whose pages were overwritten that it is damaged', async () => {
    const { url, path } = await place()
    await (await openSqlite({ url })).close()
    const bytes = await readFile(path)
    await writeFile(path, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0xee)]))
    await expect(openSqlite({ url })).rejects.toThrow(
      'is not an SQLite database, or it is damaged (SQLITE_CORRUPT)',
    )
  })

  it('says of a file that it cannot be written, or not be read', async () => {
    const { url, path, folder } = await place()
    await (await openSqlite({ url })).close()
    await chmod(folder, 0o755)
    for (const end of ['', '-wal', '-shm']) await chmod(path + end, 0o444).catch(() => {})
    expect(await failureOfAnyone(url)).toContain('is read-only')
    await chmod(path, 0)
    expect(await failureOfAnyone(url)).toContain(
      'Check that this process may read and write the file and its folder.',
    )
    for (const end of ['', '-wal', '-shm']) await chmod(path + end, 0o600).catch(() => {})
    await (await openSqlite({ url })).close()
  })
})

/** What it says to a process that is not root: for root every file can be written. */
async function failureOfAnyone(url: string): Promise<string> {
  const module = JSON.stringify(new URL('./open-sqlite.ts', import.meta.url).href)
  const program = `
    const { openSqlite } = await import(${module})
    if (process.getuid() === 0) process.setuid('nobody')
    const failure = await openSqlite({ url: process.argv[1] }).then(() => 'It was opened.', error => error.message)
    process.stdout.write(failure)`
  const loader = createRequire(import.meta.url).resolve('tsx')
  const flags = ['--import', loader, '--conditions=@sluice/source', '--input-type=module', '-e', program, url]
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await once(child, 'close')
  return said
}
