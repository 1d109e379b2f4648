import { base62, randomBase62 } from '../primitives/base62.ts'
import { crc32 } from '../primitives/crc32.ts'

/** What keys begin with where nothing else is said. */
export const defaultPrefix = 'sluice'

const idLength = 12
/** 62 to the 43rd is a little more than 2 to the 256th. */
const secretLength = 43
/** 62 to the 6th is more than 2 to the 32nd. */
const checksumLength = 6

/** Fresh random bytes, so many. */
export type RandomBytes = (length: number) => Uint8Array

/** The public part of a key. */
export function newKeyId(random: RandomBytes): string {
  return randomBase62(idLength, random)
}

/** The text of a key with a fresh secret: `<prefix>_<id>_<secret><checksum>`. */
export function newKey(prefix: string, id: string, random: RandomBytes): string {
  const unsigned = `${prefix}_${id}_${randomBase62(secretLength, random)}`
  return unsigned + checksum(unsigned)
}

/**
 * Whether a text has the form of a key that `keyStore` issued, with a checksum that fits: a slip of the pen, or
 * another service's key, has not. It says nothing about whether there is such a key.
 *
 * Throws `TypeError` for a prefix that cannot be one.
 */
export function isIssuedKey(text: string, prefix: string = defaultPrefix): boolean {
  return keyForm(prefix)(text)
}

/** `isIssuedKey` for one prefix. Throws `TypeError` for one that cannot be. */
export function keyForm(prefix: string): (text: string) => boolean {
  if (typeof prefix !== 'string' || !/^[a-z][a-z0-9]{0,31}$/.test(prefix)) {
    throw new TypeError(
      'prefix: expected 1 to 32 lower-case letters and digits, the first one a letter, such as sluice.',
    )
  }
  const form = new RegExp(
    `^${prefix}_[0-9A-Za-z]{${idLength}}_[0-9A-Za-z]{${secretLength + checksumLength}}$`,
  )
  return text =>
    typeof text === 'string' &&
    form.test(text) &&
    checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
}

function checksum(text: string): string {
  return base62(crc32(text), checksumLength)
}
