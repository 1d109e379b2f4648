/** Says what was expected in place of a value; `undefined` where it can be used. */
export type Check = (value: unknown) => string | undefined

export const defaultMaxBytes = 1_048_576

export const aFunction: Check = value => (typeof value === 'function' ? undefined : 'a function')
export const milliseconds: Check = value =>
  typeof value === 'number' && value > 0 && value <= longestMs
    ? undefined
    : `milliseconds above 0, at most ${longestMs}`
export const wholeBytes: Check = value =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= mostBytes
    ? undefined
    : `a whole number of bytes from 1 to ${mostBytes}`
export const aStore: Check = value =>
  typeof value === 'object' &&
  value !== null &&
  operations.every(name => typeof Reflect.get(value, name) === 'function')
    ? undefined
    : 'a store, such as memoryAnswers()'

const operations = ['get', 'set', 'add', 'replace']
/** A year. */
const longestMs = 31_536_000_000
/** More would be more than a text of JavaScript can hold, once it is written as JSON. */
const mostBytes = 67_108_864

/** Throws `TypeError` naming every option that cannot be used: what was got, and what was expected. */
export function checkOptions(
  of: string,
  given: object,
  checks: Readonly<Record<string, Check>>,
  needed: readonly string[] = [],
): void {
  const faults = Object.entries(given).flatMap(([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check !== undefined && value === undefined && !needed.includes(name)) return []
    const expected = check === undefined ? 'no such option' : check(value)
    return expected === undefined ? [] : [`${name}: got ${shown(value)}, expected ${expected}`]
  })
  if (faults.length > 0) throw new TypeError(`${of}() got options that it cannot use: ${faults.join('; ')}.`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
