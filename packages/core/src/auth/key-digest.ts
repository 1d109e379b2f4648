import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { configurationError } from '../errors/configuration-error.ts'
import { sha256Hex } from '../primitives/sha256.ts'

/**
 * Secrets for HMAC-SHA-256 by version name, newest first: `{ v2: '...', v1: '...' }`. Names start with a letter, because
 * JavaScript moves integer keys to the front.
 */
export type Pepper = Readonly<Record<string, string>>

/**
 * Returns the digest under which a key is stored: its SHA-256 as 64 hexadecimal digits. With a pepper: the HMAC-SHA-256 with
 * its newest version, prefixed by the version name (`v2:...`). Throws `TypeError` for an empty key or an invalid pepper.
 */
export function hashApiKey(key: string, pepper?: Pepper): string {
  if (typeof key !== 'string' || key.trim() === '') throw new TypeError('hashApiKey(): the key is empty.')
  return digestsOf(pepper)(key.trim())[0]!
}

/** Returns a function for all digests under which a key may be stored, newest version first. Throws `TypeError` for an invalid pepper. */
export function digestsOf(pepper: Pepper | undefined): (key: string) => readonly string[] {
  if (pepper === undefined) return key => [sha256Hex(key)]
  const versions = versionsOf(pepper).map(([version, secret]) => [version, utf8ToBytes(secret)] as const)
  return key => {
    const bytes = utf8ToBytes(key)
    return versions.map(([version, secret]) => `${version}:${bytesToHex(hmac(sha256, secret, bytes))}`)
  }
}

/** Returns whether a text has the format of a stored digest. */
export function isDigest(text: string, pepper: Pepper | undefined): boolean {
  if (pepper === undefined) return /^[0-9a-f]{64}$/.test(text)
  const at = text.indexOf(':')
  return Object.hasOwn(pepper, text.slice(0, at)) && /^[0-9a-f]{64}$/.test(text.slice(at + 1))
}

/** Compares two digests in constant time. */
export function sameDigest(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

function versionsOf(pepper: Pepper): [string, string][] {
  const versions = typeof pepper === 'object' && pepper !== null ? Object.entries(pepper) : []
  const valid = versions.every(
    ([version, secret]) => /^[A-Za-z][\w-]*$/.test(version) && typeof secret === 'string' && secret !== '',
  )
  if (versions.length > 0 && valid) return versions
  throw new TypeError(
    "pepper: expected an object of secrets by version, newest first, such as { v1: '...' }. A version's name begins with a letter, and no secret is empty.",
  )
}

/** Longer tokens are rejected without a lookup. */
const maxLength = 4_096

/** The format of a bearer token (RFC 6750, section 2.1). */
const bearer = /^[\w.~+/-]+=*$/

/**
 * Returns a function that tests whether a token can be a key. Other tokens are rejected without a digest or a lookup.
 *
 * Throws `ConfigurationError` if the format is not a regular expression.
 */
export function formatOf(format: RegExp | undefined, store: boolean): (token: string) => boolean {
  if (format !== undefined && !(format instanceof RegExp)) {
    const expected = 'a regular expression, such as /^sk-[0-9A-Za-z]{40}$/'
    throw configurationError('apiKeys()', ['format'], format, expected)
  }
  // The flags g and y would make `test` stateful.
  const expected =
    format === undefined ? store && bearer : new RegExp(format.source, format.flags.replace(/[gy]/g, ''))
  return token => token.length <= maxLength && (expected === false || expected.test(token))
}
