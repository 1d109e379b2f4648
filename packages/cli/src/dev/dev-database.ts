import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandFault } from '../command.ts'

/** Where `sluice dev` keeps keys and the ledger, below the folder that it runs in. */
export const devDatabaseFile: string = join('.sluice', 'dev.db')

/** The URL of the file in which `sluice dev` keeps keys and the ledger. */
export function devDatabaseUrl(cwd: string): string {
  return pathToFileURL(join(cwd, devDatabaseFile)).href
}

/**
 * Makes the folder of that file, for its owner alone, and tells Git to leave it alone. Throws `CommandFault` where it cannot be
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
    throw new CommandFault(
      `The folder .sluice, in which keys and usage are kept, cannot be made or written here (${code ?? 'unknown'}). Run sluice dev in a folder of yours, or give it --database with another place, such as file:/var/tmp/dev.db, or :memory: to keep nothing.`,
    )
  }
}

function isGitignore(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall === 'open'
}
