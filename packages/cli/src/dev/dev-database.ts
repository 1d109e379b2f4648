import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandError } from '../command.ts'

/** Where `sluice dev` keeps keys and the ledger, below the folder that it runs in. */
export const devDatabaseFile: string = join('.sluice', 'dev.db')

/** The URL of the file in which `sluice dev` keeps keys and the ledger. */
export function devDatabaseUrl(cwd: string): string {
  return pathToFileURL(join(cwd, devDatabaseFile)).href
}

/**
 * Makes the folder of that file, for its owner alone, and tells Git to leave it alone. Throws `CommandError` where it cannot be
 * made.
 */
export function makeDevFolder(cwd: string): void {
  const folder = join(cwd, '.sluice')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && isGitignore(error)) return
    throw new CommandError(
      `Cannot create the folder .sluice for keys and usage (${code ?? 'unknown'}). Run sluice dev in a writable folder, or pass --database: file:/var/tmp/dev.db, or :memory: to store nothing.`,
    )
  }
}

function isGitignore(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall === 'open'
}
