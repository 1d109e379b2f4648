import { GatewayError } from '../errors/errors.ts'
import type { JsonValue } from './chat.ts'
import { numberEnd } from './json-number.ts'
import { jsonPath, stringEnd, unescaped } from './json-path.ts'
import { loneSurrogate, tooDeep, tooMany, tooManyMembers } from './json-refusals.ts'
import { KeyStack } from './key-stack.ts'

/** Bounds of a JSON text. */
export interface JsonLimits {
  /** How deep objects and arrays may nest. Default 64. */
  readonly maxDepth: number
  /** How many values it may hold in all. Default 100,000. */
  readonly maxElements: number
  /** How many members one object may have. Default 10,000. */
  readonly maxMembers: number
}

const decoder = new TextDecoder('utf-8', { fatal: true })
const surrogateEscape = /\\u[dD][89a-fA-F]/
const surrogate = /\p{Surrogate}/u

/**
 * Reads JSON (RFC 8259) from UTF-8, with or without a byte order mark.
 *
 * Refuses what `JSON.parse` lets through but what not every reader behind the gateway would read alike: a
 * key given twice in an object (however it is spelt), whole numbers beyond 2^53-1, numbers beyond the finite,
 * half a surrogate pair. Refuses nesting and counts beyond `limits` before anything is made of them.
 * `__proto__` is a key like any other.
 *
 * @throws GatewayError 400: `invalid_json`, or a refusal that names what was got and what was expected.
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits): JsonValue {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw new GatewayError('invalid_json')
  }
  try {
    scan(text, limits)
  } finally {
    keys.clear()
  }
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    // Without its cause, which would quote the body.
    throw new GatewayError('invalid_json')
  }
}

/** One for all texts: a scan does not wait, and what it remembers of one it forgets. */
const keys = new KeyStack()

/** Looks over a text before it is parsed. It does not check the grammar: where that is broken it stops. */
function scan(text: string, { maxDepth, maxElements, maxMembers }: JsonLimits): void {
  const escapes = text.includes('\\')
  const surrogates = escapes && text.includes('\\u') && surrogateEscape.test(text)
  let inObject = false
  let keyNext = false
  let elements = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    switch (code) {
      case 0x22: {
        if (surrogates && hasLoneSurrogate(text, at)) throw loneSurrogate(jsonPath(text, at))
        if (keyNext) {
          const open = at
          at = keys.add(text, open)
          if (at === -1) return
          if (keys.count > maxMembers) throw tooManyMembers(jsonPath(text, open), maxMembers)
          keyNext = false
        } else {
          elements++
          at = escapes ? stringEnd(text, at) : text.indexOf('"', at + 1)
          if (at === -1) return
        }
        break
      }
      case 0x2c: // ,
        keyNext = inObject
        break
      case 0x7b: // {
      case 0x5b: // [
        elements++
        if (keys.depth === maxDepth) throw tooDeep(jsonPath(text, at), maxDepth)
        inObject = keyNext = code === 0x7b
        keys.open(inObject)
        break
      case 0x7d: // }
      case 0x5d: // ]
        if (!keys.close(code === 0x7d)) return
        inObject = keys.inObject
        keyNext = false
        break
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
      case 0x3a: // :
        break
      case 0x74: // true
      case 0x6e: // null
        elements++
        at += 3
        break
      case 0x66: // false
        elements++
        at += 4
        break
      default:
        if (code !== 0x2d && (code < 0x30 || code > 0x39)) return
        elements++
        at = numberEnd(text, at) - 1
    }
    if (elements > maxElements) throw tooMany(maxElements)
  }
}

function hasLoneSurrogate(text: string, open: number): boolean {
  const end = stringEnd(text, open)
  const raw = text.slice(open + 1, end === -1 ? open + 1 : end)
  return surrogateEscape.test(raw) && surrogate.test(unescaped(raw) ?? '')
}
