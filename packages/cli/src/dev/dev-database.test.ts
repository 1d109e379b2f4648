import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@sluice/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { devDatabaseUrl, makeDevFolder } from './dev-database.ts'

function folder(name = 'x'): string {
  const parent = mkdtempSync(join(tmpdir(), 'sluice-dev-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const made = join(parent, name)
  mkdirSync(made)
  return made
}

describe('makeDevFolder', () => {
  it('makes a folder that Git ignores and others cannot read; again changes nothing', async () => {
    const cwd = folder('with space, # and %41')
    makeDevFolder(cwd)
    writeFileSync(join(cwd, '.sluice', '.gitignore'), 'mine')
    makeDevFolder(cwd)
    expect(readFileSync(join(cwd, '.sluice', '.gitignore'), 'utf8')).toBe('mine')
    expect(statSync(join(cwd, '.sluice')).mode & 0o077).toBe(0)
    await (await openSqlite({ url: devDatabaseUrl(cwd) })).close()
    expect(existsSync(join(cwd, '.sluice', 'dev.db'))).toBe(true)
  })

  it('says what to do where it cannot be made', () => {
    const cwd = folder()
    writeFileSync(join(cwd, '.sluice'), 'a file')
    const fault = expect.objectContaining({
      exitCode: 1,
      message: expect.stringMatching(/^Cannot create the folder \.sluice.* \(\w+\).*--database/),
    })
    expect(() => makeDevFolder(cwd)).toThrow(fault)
    // Root may write everywhere.
    if (process.getuid?.() === 0) return
    const closed = folder()
    chmodSync(closed, 0o500)
    expect(() => makeDevFolder(closed)).toThrow(fault)
  })
})
