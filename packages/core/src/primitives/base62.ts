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
