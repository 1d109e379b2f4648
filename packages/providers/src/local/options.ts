import { rejectUnknownOptions } from '../known-options.ts'

/** What an option that is a number may be; at least 0 by default. */
export interface NumberBounds {
  readonly min?: number
  readonly max: number
  readonly integer?: boolean
}

/** The longest delay of a timer, in milliseconds. */
export const maxTimerMs = 2_147_483_647
export const milliseconds: NumberBounds = { max: maxTimerMs }
export const pieceCount: NumberBounds = { max: 1_000_000, integer: true }

/**
 * Throws `ConfigurationError` for an option that is not one of `names`, `TypeError` or `RangeError` for a number
 * out of its bounds.
 */
export function validateOptions<T extends object>(
  name: string,
  options: T,
  names: string,
  bounds: { readonly [K in keyof T]?: NumberBounds },
): void {
  rejectUnknownOptions(name === '' ? 'local()' : `local(): ${name}`, options, names.split(' '))
  for (const key of Object.keys(bounds) as (keyof T & string)[])
    if (options[key] !== undefined)
      validateNumber(name === '' ? key : `${name}.${key}`, options[key], bounds[key]!)
}

/** Throws `TypeError` for what is no number and `RangeError` for one out of its bounds. */
export function validateNumber(name: string, value: unknown, { min = 0, max, integer }: NumberBounds): void {
  const type = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
  if (typeof value !== 'number') throw new TypeError(`local(): ${name} must be a number, but is ${type}.`)
  const expected = `${integer ? 'a whole number' : 'a number'} from ${min} to ${max}`
  if (!(value >= min && value <= max) || (integer && !Number.isInteger(value)))
    throw new RangeError(`local(): ${name} must be ${expected}, but is ${value}.`)
}
