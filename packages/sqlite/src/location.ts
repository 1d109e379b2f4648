import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigurationError } from '@sluice/core'

/** Where a database is. */
export interface Location {
  readonly url: string
  /** `undefined` for one in memory. */
  readonly path: string | undefined
}

/**
 * Throws `ConfigurationError` for a URL that names no file of this machine. Of such a URL it tells no more than its
 * scheme.
 */
export function parseLocation(name: string, url: unknown): Location {
  const expected = '"file:" and a path, such as "file:./sluice.db", or ":memory:"'
  const wrong = (received: string) => new ConfigurationError(name, [{ path: ['url'], received, expected }])
  if (typeof url !== 'string') throw wrong(described(url))
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
  return { url, path: decoded(path) }
}

/** A database file that cannot be opened. */
export class SqliteError extends Error {
  /** The message without the function that it is of: which file, why, and how to mend it. */
  readonly reason: string

  constructor(name: string, reason: string, cause?: unknown) {
    super(`${name}: ${reason}`, cause === undefined ? undefined : { cause })
    this.name = 'SqliteError'
    this.reason = reason
  }
}

/** Why a database could not be opened, in words that say how to mend it. */
export function openError(name: string, { url, path }: Location, error: unknown): SqliteError {
  const code = String((error as { code?: unknown })?.code ?? '')
  const fail = (why: string) => new SqliteError(name, `${url} ${why}`, error)
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    return fail(
      `is no SQLite database, or it is damaged (${code}). Restore it from a copy, or name another file.`,
    )
  }
  if (code === 'SQLITE_READONLY') {
    return fail(
      'cannot be written. Keys and records are kept in it: let this process write to it and its folder.',
    )
  }
  if (code === 'SQLITE_BUSY') {
    return fail('is held by another process for too long. Something keeps a transaction open.')
  }
  if (code === 'SQLITE_FULL') return fail('cannot grow: its disk is full.')
  if (path !== undefined && !existsSync(dirname(path))) {
    return fail('cannot be opened: its folder does not exist. Make the folder first.')
  }
  if (path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return fail('is a folder. Name a file.')
  }
  const known = code.startsWith('SQLITE_') ? ` (${code})` : ''
  return fail(`cannot be opened${known}. See whether this process may read and write it and its folder.`)
}

function described(value: unknown): string {
  return value === null ? 'null' : `a value of type ${typeof value}`
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
