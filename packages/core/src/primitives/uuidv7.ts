import { freshId } from './random.ts'

/**
 * A UUID of version 7 (RFC 9562 section 5.7): ids made later sort later, so that a table of them grows at its end.
 * `random` is text that holds fresh hexadecimal digits, of which 19 are used; where it holds fewer, others are made.
 */
export function uuidv7(ms: number, random: string): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0').slice(-12)
  const given = digitsOf(random)
  const digits = given.length < 19 ? freshId() : given
  const variant = '89ab'[Number.parseInt(digits.slice(3, 4), 16) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(0, 3)}-${variant}${digits.slice(4, 7)}-${digits.slice(7, 19)}`
}

function digitsOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^0-9a-f]/g, '')
}
