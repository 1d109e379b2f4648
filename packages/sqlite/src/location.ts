import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Where a database is. */
export interface Location {
  readonly url: string
  /** `undefined` for one in memory. */
  readonly path: string | undefined
}

/** Throws `TypeError` for a URL that names no file of this machine. Of such a URL it tells no more than its scheme. */
export function locationOf(name: string, url: unknown): Location {
  const expected = 'expected "file:" and a path, such as "file:./sluice.db", or ":memory:".'
  if (typeof url !== 'string') throw new TypeError(`${name}: url is ${described(url)}, ${expected}`)
  if (url === ':memory:') return { url, path: undefined }
  const scheme = /^[a-z][a-z.+-]*(?=:)/i.exec(url)?.[0]
  if (scheme === undefined || scheme.length === 1) {
    throw new TypeError(`${name}: url is a text without a scheme, ${expected}`)
  }
  if (scheme.toLowerCase() !== 'file')
    throw new TypeError(`${name}: url begins with "${scheme}:", ${expected}`)
  const path = /^file:(?:\/\/(?:localhost)?(?=\/))?([^/?#][^?#]*|\/(?!\/)[^?#]+)$/i.exec(url)?.[1]
  if (path === undefined || path === ':memory:') {
    throw new TypeError(`${name}: url names no path on this machine, or more than a path, ${expected}`)
  }
  return { url, path: decoded(path) }
}

/** Why a database could not be opened, in words that say how to mend it. */
export function openError(name: string, { url, path }: Location, error: unknown): Error {
  const code = String((error as { code?: unknown })?.code ?? '')
  const fail = (why: string) => new Error(`${name}: ${url} ${why}`, { cause: error })
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
  return value === null ? 'null' : `of type ${typeof value}`
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
