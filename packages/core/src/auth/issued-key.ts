/** The default prefix of keys. */
export const defaultPrefix = 'sluice'

const idLength = 12
/** 62^43 is slightly more than 2^256. */
const secretLength = 43
/** 62^6 is more than 2^32. */
const checksumLength = 6

/** Returns `length` random bytes. */
export type RandomBytes = (length: number) => Uint8Array

/** Returns a random key id: the public part of a key. */
export function newKeyId(random: RandomBytes): string {
  return randomBase62(idLength, random)
}

/** Returns a key with a random secret: `<prefix>_<id>_<secret><checksum>`. */
export function newKey(prefix: string, id: string, random: RandomBytes): string {
  const unsigned = `${prefix}_${id}_${randomBase62(secretLength, random)}`
  return unsigned + checksum(unsigned)
}

/**
 * Returns whether a text has the format of a key of `keyStore`, with a valid checksum. It detects typos and keys of other
 * services, but does not check whether the key exists.
 *
 * Throws `TypeError` for an invalid prefix.
 */
export function isIssuedKey(text: string, prefix: string = defaultPrefix): boolean {
  return keyForm(prefix)(text)
}

/** Returns `isIssuedKey` for a prefix. Throws `TypeError` for an invalid prefix. */
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

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Bytes from here on are discarded: 256 is not a multiple of 62, so they would make some digits more likely. */
const fair = 256 - (256 % digits.length)

/**
 * Returns random base62 digits, uniformly distributed. Throws `TypeError` if `random` returns too few bytes, or the same ones
 * each time.
 */
export function randomBase62(length: number, random: (length: number) => Uint8Array): string {
  let text = ''
  for (let asked = 0; asked < 100; asked++) {
    for (const byte of random(length - text.length)) if (byte < fair) text += digits[byte % digits.length]
    if (text.length >= length) return text.slice(0, length)
  }
  throw new TypeError('random: expected a function that returns the requested number of random bytes.')
}

/** Returns a non-negative integer in base62, padded with zeros to a length. */
export function base62(value: number, length: number): string {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / digits.length)) {
    text = digits.charAt(rest % digits.length) + text
  }
  return text.padStart(length, '0')
}

/** Returns the CRC-32 (ISO 3309) of an ASCII text, as an unsigned integer. */
export function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
