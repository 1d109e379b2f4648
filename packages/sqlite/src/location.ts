import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigurationError } from '@sluice/core'

/** The location of a database. */
export interface Location {
  readonly url: string
  /** `undefined` for one in memory. */
  readonly path: string | undefined
}

/** Throws `ConfigurationError` for a URL that is not a file of this machine. The message has no more of it than the scheme. */
export function parseLocation(name: string, url: unknown): Location {
  const expected = '"file:" and a path, such as "file:./sluice.db", or ":memory:"'
  const wrong = (received: string) => new ConfigurationError(name, [{ path: ['url'], received, expected }])
  if (typeof url !== 'string') throw wrong(describeValue(url))
  if (url === ':memory:') return { url, path: undefined }
  const scheme = /^[a-z][a-z.+-]*(?=:)/i.exec(url)?.[0]
  if (scheme === undefined || scheme.length === 1) {
    throw wrong('a text without a scheme')
  }
  if (scheme.toLowerCase() !== 'file') throw wrong(`a URL that begins with "${scheme}:"`)
  const path = /^file:(?:\/\/(?:localhost)?(?=\/))?([^/?#][^?#]*|\/(?!\/)[^?#]+)$/i.exec(url)?.[1]
  if (path === undefined || path === ':memory:') {
    throw wrong('a URL that names no path on this machine, or more than a path')
  }
  return { url, path: decodePath(path) }
}

/** A database file that cannot be opened. */
export class SqliteError extends Error {
  /** The message without the function's name: which file, why, and how to fix it. */
  readonly reason: string

  constructor(name: string, reason: string, cause?: unknown) {
    super(`${name}: ${reason}`, cause === undefined ? undefined : { cause })
    this.name = 'SqliteError'
    this.reason = reason
  }
}

/** Returns why a database could not be opened, and how to fix it. */
export function openError(name: string, { url, path }: Location, error: unknown): SqliteError {
  const code = String((error as { code?: unknown })?.code ?? '')
  const fail = (why: string) => new SqliteError(name, `${url} ${why}`, error)
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    return fail(
      `is not an SQLite database, or it is damaged (${code}). Restore it from a backup, or choose another file.`,
    )
  }
  if (code === 'SQLITE_READONLY') {
    return fail('is read-only. Give this process write permission for the file and its folder.')
  }
  if (code === 'SQLITE_BUSY') {
    return fail(
      'is locked by another process, which keeps a transaction open. Stop that process, or end its transaction.',
    )
  }
  if (code === 'SQLITE_FULL') return fail('cannot grow: the disk is full. Free some space.')
  if (path !== undefined && !existsSync(dirname(path))) {
    return fail('cannot be opened: its folder does not exist. Create the folder first.')
  }
  if (path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return fail('is a folder. Choose a file.')
  }
  const known = code.startsWith('SQLITE_') ? ` (${code})` : ''
  return fail(`cannot be opened${known}. Check that this process may read and write the file and its folder.`)
}

function describeValue(value: unknown): string {
  return value === null ? 'null' : `a value of type ${typeof value}`
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
