import { suggest } from '../issues/issue-list.ts'
import { kindOf } from '../issues/issue-text.ts'
import type { Shape } from './shape.ts'

/** A text that is all of one reference, and so may stand for a number or a switch. */
const wholeReference = '^\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}$'

/** A text that is not empty. */
export function text(expected = 'a non-empty string', pattern?: RegExp): Shape {
  return {
    read: (value, location) =>
      typeof value === 'string' && value !== '' && (pattern?.test(value) ?? true)
        ? value
        : location.reject(value, expected),
    schema: () => ({ type: 'string', minLength: 1 }),
  }
}

/** A text of which nothing is ever told but its length. */
export function secret(expected: string, pattern = /\S/): Shape {
  return {
    read: (value, location) => {
      if (typeof value === 'string' && pattern.test(value)) return value
      const { reference } = location
      const long = typeof value === 'string' && value !== '' ? ` of ${value.length} characters` : ''
      const got =
        reference === undefined
          ? kindOf(value) + long
          : `${location.describe(value)}, which is ${kindOf(value)}${long}`
      return location.add({ got, expected })
    },
    schema: () => ({ type: 'string', minLength: 1 }),
  }
}

/** Bounds of a number. All of them belong to it, but for `above`. */
interface NumberBounds {
  readonly min?: number
  readonly above?: number
  readonly max?: number
  readonly whole?: boolean
}

export function number(bounds: NumberBounds, expected: string): Shape {
  const { min, above, max, whole } = bounds
  const fits = (value: number) =>
    Number.isFinite(value) &&
    value >= (min ?? Number.NEGATIVE_INFINITY) &&
    value > (above ?? Number.NEGATIVE_INFINITY) &&
    value <= (max ?? Number.POSITIVE_INFINITY) &&
    (whole !== true || Number.isInteger(value))
  return {
    read: (value, location) => {
      const given = location.reference !== undefined && isNumeral(value) ? Number(value) : value
      return typeof given === 'number' && fits(given) ? given : location.reject(value, expected)
    },
    schema: () => ({
      type: [whole === true ? 'integer' : 'number', 'string'],
      pattern: wholeReference,
      ...(min !== undefined && { minimum: min }),
      ...(above !== undefined && { exclusiveMinimum: above }),
      ...(max !== undefined && { maximum: max }),
    }),
  }
}

function isNumeral(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim())
}

export const flag: Shape = {
  read: (value, location) => {
    const given = location.reference === undefined ? value : { true: true, false: false }[String(value)]
    return typeof given === 'boolean' ? given : location.reject(value, 'true or false')
  },
  schema: () => ({ type: ['boolean', 'string'], pattern: wholeReference }),
}

/** One of some words. */
export function choice(...words: readonly string[]): Shape {
  const expected = words.map(word => `'${word}'`).join(' or ')
  return {
    read: (value, location) => {
      if (typeof value === 'string' && words.includes(value)) return value
      return location.reject(value, expected, typeof value === 'string' ? suggest(value, words) : undefined)
    },
    schema: () => ({ anyOf: [{ enum: [...words] }, { type: 'string', pattern: wholeReference }] }),
  }
}

/** Whatever stands there: who uses it says what may. */
export const anything: Shape = { read: value => value, schema: () => ({}) }
