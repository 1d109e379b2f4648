import { Fault } from './fault.ts'

/** Looks at a value and throws a `Fault` that names its path where it is not as the vendor wants it. */
export type Check = (value: unknown, path: string) => void

export type Fields = Record<string, unknown>

/** An object with these fields and no others. */
export function object(required: Record<string, Check>, optional: Record<string, Check> = {}): Check {
  return (value, path) => {
    const fields = asFields(value, path)
    for (const [key, check] of Object.entries(required)) {
      if (fields[key] === undefined) throw new Fault(`${at(path, key)}: Field required`)
      check(fields[key], at(path, key))
    }
    for (const [key, inner] of Object.entries(fields)) {
      if (key in required) continue
      const check = Object.hasOwn(optional, key) ? optional[key] : undefined
      if (check === undefined) throw new Fault(`${at(path, key)}: Extra inputs are not permitted`)
      check(inner, at(path, key))
    }
  }
}

/** Objects of several kinds, told apart by the value of one field. */
export function tagged(tag: string, kinds: Record<string, Check>): Check {
  return (value, path) => {
    const kind = asFields(value, path)[tag]
    const check = typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
    if (check === undefined) {
      throw new Fault(
        `${path}: Input tag '${kind}' does not match any of the expected tags: ${Object.keys(kinds).join()}`,
      )
    }
    check(value, path)
  }
}

/** An object that holds exactly one of these members, beside `others`. */
export function oneOfMembers(members: Record<string, Check>, others: Record<string, Check> = {}): Check {
  return (value, path) => {
    const given = Object.keys(asFields(value, path)).filter(key => key in members)
    if (given.length !== 1)
      throw new Fault(`${path}: exactly one of ${Object.keys(members).join()} must be set`)
    object({ [given[0]!]: members[given[0]!]! }, others)(value, path)
  }
}

export function list(each: Check, least = 0, most = Infinity): Check {
  return (value, path) => {
    if (!Array.isArray(value)) throw new Fault(`${path}: Input should be a valid list`)
    if (value.length < least) throw new Fault(`${path}: List should have at least ${least} items`)
    if (value.length > most) throw new Fault(`${path}: List should have at most ${most} items`)
    for (const [index, item] of value.entries()) each(item, at(path, index))
  }
}

export function text(least = 0, most = Infinity, pattern?: RegExp): Check {
  return (value, path) => {
    if (typeof value !== 'string') throw new Fault(`${path}: Input should be a valid string`)
    if (value.length < least) throw new Fault(`${path}: String should have at least ${least} characters`)
    if (value.length > most) throw new Fault(`${path}: String should have at most ${most} characters`)
    if (pattern !== undefined && !pattern.test(value)) {
      throw new Fault(`${path}: String should match pattern '${pattern.source}'`)
    }
  }
}

export function decimal(least: number, most: number): Check {
  return (value, path) => {
    if (typeof value !== 'number') throw new Fault(`${path}: Input should be a valid number`)
    if (value < least || value > most) throw new Fault(`${path}: range: ${least}..${most}`)
  }
}

export function integer(least: number, most = Number.MAX_SAFE_INTEGER): Check {
  return (value, path) => {
    if (!Number.isInteger(value)) throw new Fault(`${path}: Input should be a valid integer`)
    decimal(least, most)(value, path)
  }
}

export function oneOf(...values: readonly unknown[]): Check {
  return (value, path) => {
    if (!values.includes(value)) throw new Fault(`${path}: Input should be ${values.join(' or ')}`)
  }
}

export const flag: Check = oneOf(true, false)

/** Any object, whatever it holds. */
export const anyObject: Check = (value, path) => {
  asFields(value, path)
}

export function nullable(check: Check): Check {
  return (value, path) => {
    if (value !== null) check(value, path)
  }
}

export function either(string: Check, other: Check): Check {
  return (value, path) => (typeof value === 'string' ? string : other)(value, path)
}

/** Base64 as RFC 4648 writes it, with its padding. */
export const base64: Check = (value, path) => {
  text(1)(value, path)
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(String(value))) {
    throw new Fault(`${path}: invalid base64 data`)
  }
}

/** Bytes as protocol buffers write them in JSON: base64 in either alphabet, padded or not. */
export const protoBytes: Check = text(1, Infinity, /^[A-Za-z0-9+/_-]+={0,2}$/)

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asFields(value: unknown, path: string): Fields {
  if (!isFields(value)) throw new Fault(`${path}: Input should be a valid dictionary`)
  return value
}

function at(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`
}
