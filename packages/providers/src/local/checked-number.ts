/**
 * A number of the options, as given. Throws `RangeError` for one outside its bounds and `TypeError` for what
 * is no number.
 */
export function checkedNumber(
  name: string,
  value: unknown,
  { min = 0, max, whole = false }: { readonly min?: number; readonly max: number; readonly whole?: boolean },
): number {
  if (typeof value !== 'number')
    throw new TypeError(`local(): ${name} must be a number, but is ${describe(value)}.`)
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value
  throw new RangeError(
    `local(): ${name} must be ${whole ? 'a whole number' : 'a number'} from ${min} to ${max}, but is ${value}.`,
  )
}

/** The longest time that a timer can wait, in milliseconds. */
export const longestWait = 2_147_483_647

function describe(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
}
