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

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Of the 256 values of a byte these are shared out evenly among 62 digits; the others would favour some of them. */
const fair = 256 - (256 % digits.length)

/**
 * So many random digits and letters, each as likely as any other. Throws `TypeError` for a source that gives hardly
 * any bytes, or the same ones again and again.
 */
export function randomBase62(length: number, random: (length: number) => Uint8Array): string {
  let text = ''
  for (let asked = 0; asked < 100; asked++) {
    for (const byte of random(length - text.length)) if (byte < fair) text += digits[byte % digits.length]
    if (text.length >= length) return text.slice(0, length)
  }
  throw new TypeError('random: expected a function that gives as many fresh random bytes as it is asked for.')
}

/** A whole number from 0 as digits and letters, with zeros before it up to a length. */
export function base62(value: number, length: number): string {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / digits.length)) {
    text = digits.charAt(rest % digits.length) + text
  }
  return text.padStart(length, '0')
}

/** The CRC-32 (ISO 3309) of a text of ASCII characters, as a whole number from 0. */
export function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
