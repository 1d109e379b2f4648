import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { command } from './command.ts'
import { Connection } from './connection.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import { type TemporaryFile, temporaryFile } from './temporary-file.ts'

const newest = migrations.length

async function place(): Promise<TemporaryFile> {
  const file = await temporaryFile()
  onTestFinished(file.remove)
  return file
}

async function run(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  const lines = { out: '', error: '' }
  const code = await command(args, {
    out: line => {
      lines.out += line
    },
    error: line => {
      lines.error += line
    },
  })
  return { code, ...lines }
}

describe('sluice-sqlite', () => {
  it('migrates, and says of which version a file is', async () => {
    const { url, path } = await place()
    expect(await run('status', '--url', url)).toMatchObject({
      code: 1,
      out: `${url} does not exist. "migrate" makes it.`,
    })
    expect(existsSync(path)).toBe(false)
    expect(await run('migrate', '--url', url)).toEqual({
      code: 0,
      out: `${url}: version 0 to ${newest}.`,
      error: '',
    })
    const upToDate = { code: 0, out: `${url} is of version ${newest}: nothing to do.`, error: '' }
    expect(await run('migrate', '--url', url)).toEqual(upToDate)
    expect(await run('status', '--url', url)).toEqual(upToDate)
  })

  it('says of a file without tables that it has to be migrated, and does not touch it', async () => {
    const { url, path } = await place()
    await writeFile(path, '')
    expect(await run('status', '--url', url)).toMatchObject({
      code: 1,
      out: expect.stringContaining('Run "migrate"'),
    })
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  it('says of a newer file that the package has to be updated', async () => {
    const { url } = await place()
    const connection = await Connection.open(url)
    await migrate(connection, [...migrations, { name: 'later', statements: [] }])
    connection.close()
    expect(await run('status', '--url', url)).toMatchObject({
      code: 1,
      out: expect.stringContaining('Update the package'),
    })
    expect(await run('migrate', '--url', url)).toMatchObject({
      code: 1,
      error: expect.stringContaining('Update the package'),
    })
  })

  it('says what is wrong with a file', async () => {
    const { url, path, folder } = await place()
    await writeFile(path, 'no database '.repeat(100))
    expect(await run('status', '--url', url)).toMatchObject({
      code: 1,
      error: expect.stringContaining('SQLITE_NOTADB'),
    })
    expect(await run('migrate', '--url', `file:${folder}/missing/x.db`)).toMatchObject({
      code: 1,
      error: expect.stringContaining('its folder does not exist'),
    })
  })

  it.each([
    [[]],
    [['migrate']],
    [['migrate', 'status', '--url', 'file:x.db']],
    [['drop', '--url', 'file:x.db']],
    [['migrate', '--url', ':memory:']],
    [['migrate', '--url', 'postgres://ann:hush@host/x']],
    [['migrate', '--file', 'x.db']],
    [['migrate', '--url']],
  ])('refuses a wrong call: %j', async args => {
    const { code, out, error } = await run(...args)
    expect([code, out]).toEqual([2, ''])
    expect(error).toContain('sluice-sqlite migrate --url file:./sluice.db')
    expect(error).not.toContain('hush')
  })

  it('helps', async () => {
    expect(await run('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('sluice-sqlite status'),
    })
  })

  it('is a program that ends with the right code', async () => {
    const { url } = await place()
    const loader = createRequire(import.meta.url).resolve('tsx')
    const program = fileURLToPath(new URL('./cli.ts', import.meta.url))
    const flags = ['--import', loader, '--conditions=@sluice/source', program]
    const child = spawn(process.execPath, [...flags, 'status', '--url', url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const [code] = await once(child, 'close')
    expect([code, said]).toEqual([1, `${url} does not exist. "migrate" makes it.\n`])
  })
})
