import { didYouMean } from '../issues/issue-list.ts'
import { kindOf } from '../issues/issue-text.ts'
import type { Shape } from './shape.ts'

/** A text that is all of one reference, and so may stand for a number or a switch. */
const wholeReference = '^\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}$'

/** A text that is not empty. */
export function text(expected = 'a text that is not empty', pattern?: RegExp): Shape {
  return {
    read: (value, place) =>
      typeof value === 'string' && value !== '' && (pattern?.test(value) ?? true)
        ? value
        : place.wrong(value, expected),
    schema: () => ({ type: 'string', minLength: 1 }),
  }
}

/** A text of which nothing is ever told but its length. */
export function secret(expected: string, pattern = /\S/): Shape {
  return {
    read: (value, place) => {
      if (typeof value === 'string' && pattern.test(value)) return value
      const { reference } = place
      const long = typeof value === 'string' && value !== '' ? ` of ${value.length} characters` : ''
      const got =
        reference === undefined
          ? kindOf(value) + long
          : `${place.shown(value)}, which is ${kindOf(value)}${long}`
      return place.add({ got, expected })
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
    read: (value, place) => {
      const given = place.reference !== undefined && isNumeral(value) ? Number(value) : value
      return typeof given === 'number' && fits(given) ? given : place.wrong(value, expected)
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
  read: (value, place) => {
    const given = place.reference === undefined ? value : { true: true, false: false }[String(value)]
    return typeof given === 'boolean' ? given : place.wrong(value, 'true or false')
  },
  schema: () => ({ type: ['boolean', 'string'], pattern: wholeReference }),
}

/** One of some words. */
export function choice(...words: readonly string[]): Shape {
  const expected = words.map(word => `'${word}'`).join(' or ')
  return {
    read: (value, place) => {
      if (typeof value === 'string' && words.includes(value)) return value
      return place.wrong(value, expected, typeof value === 'string' ? didYouMean(value, words) : undefined)
    },
    schema: () => ({ anyOf: [{ enum: [...words] }, { type: 'string', pattern: wholeReference }] }),
  }
}

/** Whatever stands there: who uses it says what may. */
export const anything: Shape = { read: value => value, schema: () => ({}) }
