import { GatewayError } from '../errors/errors.ts'
import { type Path, pathText } from './error-messages.ts'

export function tooDeep(path: Path, maxDepth: number): GatewayError {
  return new GatewayError('invalid_request', {
    message: `Invalid JSON: nested too deep. Expected at most ${maxDepth} levels, but got more.`,
    param: pathText(path.slice(0, 1)) || null,
  })
}

export function tooMany(maxElements: number): GatewayError {
  return new GatewayError('invalid_request', {
    message: `Invalid JSON: too many values. Expected at most ${maxElements}, but got more.`,
  })
}

export function tooManyMembers(path: Path, maxMembers: number): GatewayError {
  return new GatewayError('object_above_max_properties', {
    message: `Invalid ${name(path)}: too many properties. Expected an object with at most ${maxMembers} properties, but got more.`,
    param: pathText(path) || null,
  })
}

export function duplicateKey(path: Path): GatewayError {
  return invalid(path, 'key given twice. Expected every key of an object once.')
}

export function loneSurrogate(path: Path): GatewayError {
  return invalid(
    path,
    'half of a surrogate pair. Expected Unicode text, in which both halves stand together.',
  )
}

export function numberTooLong(path: Path, length: number, maximum: number): GatewayError {
  return invalid(
    path,
    `number too long. Expected a number with maximum length ${maximum}, but got a number with length ${length} instead.`,
  )
}

/** Returns the error for a number that a double cannot represent. `token` is the number as it was sent. */
export function numberOutOfRange(path: Path, kind: 'integer' | 'decimal', token: string): GatewayError {
  const limit = kind === 'integer' ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE
  const negative = token.startsWith('-')
  const expected = negative
    ? `below minimum value. Expected a value >= ${-limit}`
    : `above maximum value. Expected a value <= ${limit}`
  return new GatewayError(negative ? `${kind}_below_min_value` : `${kind}_above_max_value`, {
    message: `Invalid ${name(path)}: ${kind} ${expected}, but got ${token} instead.`,
    param: pathText(path) || null,
  })
}

/** Returns the error for a value that JSON cannot represent, in a body from a body parser. */
export function notJson(path: Path, got: string): GatewayError {
  return invalid(path, `expected a JSON value, but got ${got} instead.`)
}

function invalid(path: Path, rest: string): GatewayError {
  return new GatewayError('invalid_request', {
    message: `Invalid ${name(path)}: ${rest}`,
    param: pathText(path) || null,
  })
}

function name(path: Path): string {
  return path.length === 0 ? 'body' : `'${pathText(path)}'`
}

/** Returns the path of a position in a JSON text, without a key at the position itself. Slow: for error messages only. */
export function jsonPath(text: string, position: number): (string | number)[] {
  const path: (string | number)[] = []
  let keyNext = false
  for (let at = 0; at < position; at++) {
    const character = text[at]
    if (character === '"') {
      const end = stringEnd(text, at)
      if (end === -1 || end >= position) break
      if (keyNext) path[path.length - 1] = unescaped(text.slice(at + 1, end)) ?? '?'
      keyNext = false
      at = end
    } else if (character === '{') {
      path.push('')
      keyNext = true
    } else if (character === '[') {
      path.push(0)
    } else if (character === '}' || character === ']') {
      path.pop()
      keyNext = false
    } else if (character === ',') {
      const step = path.at(-1)
      if (typeof step === 'number') path[path.length - 1] = step + 1
      else keyNext = true
    }
  }
  if (keyNext) path.pop()
  return path
}

/** Returns the end of the string at `open`, or -1 if it is not terminated. */
export function stringEnd(text: string, open: number): number {
  let end = text.indexOf('"', open + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, position: number): boolean {
  let before = position - 1
  while (text.charCodeAt(before) === 92) before--
  return (position - before) % 2 === 0
}

/** Unescapes the content of a JSON string. Returns `undefined` if it is invalid. */
export function unescaped(raw: string): string | undefined {
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return undefined
  }
}
