import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { configurationError } from '../errors/configuration-error.ts'
import { sha256Hex } from '../primitives/sha256.ts'

/**
 * Secrets for HMAC-SHA-256 by the name of their version, newest first: `{ v2: '...', v1: '...' }`. Names begin
 * with a letter, for JavaScript puts whole numbers first, whatever their order.
 */
export type Pepper = Readonly<Record<string, string>>

/**
 * What is kept of a key: its SHA-256 in 64 hexadecimal digits; with a pepper, HMAC-SHA-256 under its newest
 * version, whose name stands before it: `v2:...`.
 */
export function hashApiKey(key: string, pepper?: Pepper): string {
  if (typeof key !== 'string' || key.trim() === '') throw new TypeError('hashApiKey(): the key is empty.')
  return digestsOf(pepper)(key.trim())[0]!
}

/** Every digest under which a key may be kept, newest version first. Throws `TypeError` for a bad pepper. */
export function digestsOf(pepper: Pepper | undefined): (key: string) => readonly string[] {
  if (pepper === undefined) return key => [sha256Hex(key)]
  const versions = versionsOf(pepper).map(([version, secret]) => [version, utf8ToBytes(secret)] as const)
  return key => {
    const bytes = utf8ToBytes(key)
    return versions.map(([version, secret]) => `${version}:${bytesToHex(hmac(sha256, secret, bytes))}`)
  }
}

/** Whether a text has the form of a digest that is kept. */
export function isDigest(text: string, pepper: Pepper | undefined): boolean {
  if (pepper === undefined) return /^[0-9a-f]{64}$/.test(text)
  const at = text.indexOf(':')
  return Object.hasOwn(pepper, text.slice(0, at)) && /^[0-9a-f]{64}$/.test(text.slice(at + 1))
}

/** Compares in a time that does not depend on where two digests differ. */
export function sameDigest(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

function versionsOf(pepper: Pepper): [string, string][] {
  const versions = typeof pepper === 'object' && pepper !== null ? Object.entries(pepper) : []
  const sound = versions.every(
    ([version, secret]) => /^[A-Za-z][\w-]*$/.test(version) && typeof secret === 'string' && secret !== '',
  )
  if (versions.length > 0 && sound) return versions
  throw new TypeError(
    "pepper: expected an object of secrets by version, newest first, such as { v1: '...' }. A version's name begins with a letter, and no secret is empty.",
  )
}

/** Longer tokens are refused unseen. */
const maxLength = 4_096

/** RFC 6750 section 2.1: what a bearer token looks like. */
const bearer = /^[\w.~+/-]+=*$/

/**
 * Whether a token may be a key at all: what may not is refused without a digest made or a store asked.
 *
 * Throws `ConfigurationError` for a format that is no regular expression.
 */
export function formatOf(format: RegExp | undefined, store: boolean): (token: string) => boolean {
  if (format !== undefined && !(format instanceof RegExp)) {
    const expected = 'a regular expression, such as /^sk-[0-9A-Za-z]{40}$/'
    throw configurationError('apiKeys()', ['format'], format, expected)
  }
  // One with the flag g or y remembers where it stopped.
  const expected =
    format === undefined ? store && bearer : new RegExp(format.source, format.flags.replace(/[gy]/g, ''))
  return token => token.length <= maxLength && (expected === false || expected.test(token))
}
