import { jsonPath } from './json-path.ts'
import { numberOutOfRange, numberTooLong } from './json-refusals.ts'
import { shorten } from './wording.ts'

const maxLength = 100

/**
 * Where the number that begins at `start` of a JSON text ends. Refuses one that a double cannot hold: a
 * whole number beyond 2^53-1 would be rounded, `1e400` would be infinite.
 */
export function numberEnd(text: string, start: number): number {
  let whole = true
  let exponent = false
  let end = start + 1
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code >= 48 && code <= 57) continue
    if (code === 46) whole = false
    else if (code === 69 || code === 101) exponent = true
    else if (code !== 43 && code !== 45) break
  }
  if (end - start > 15 || exponent) check(text, start, end, whole && !exponent)
  return end
}

function check(text: string, start: number, end: number, whole: boolean): void {
  const token = text.slice(start, end)
  const value = Number(token)
  if (Number.isNaN(value)) return
  if (whole ? !Number.isSafeInteger(value) : !Number.isFinite(value)) {
    throw numberOutOfRange(jsonPath(text, start), whole ? 'integer' : 'decimal', shorten(token))
  }
  if (token.length > maxLength) throw numberTooLong(jsonPath(text, start), token.length, maxLength)
}
