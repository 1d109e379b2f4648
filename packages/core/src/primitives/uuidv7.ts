import { freshId } from './random.ts'

/**
 * Returns a UUID version 7 (RFC 9562 section 5.7), which sorts by time, so that inserts append to an index. `random` is a text
 * with random hexadecimal digits, of which 19 are used; if it has fewer, they are generated.
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
