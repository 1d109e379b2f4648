import { configurationError } from '@sluice/core/adapter'

/** The maximum of a timer. A longer one fires at once. */
export const maxTimerMs = 2_147_483_647

/**
 * Throws `ConfigurationError` for an invalid number of milliseconds. A timer would fire at once for `NaN`, a string or a
 * negative number.
 *
 * @param source - The function that received the option: `serve()`.
 * @param max - `Infinity` where the wait may be unlimited.
 */
export function checkMilliseconds(source: string, name: string, value: unknown, max = maxTimerMs): void {
  if (value === undefined || (typeof value === 'number' && value >= 0 && value <= max)) return
  const end = max === maxTimerMs ? ` to ${maxTimerMs}` : ''
  throw configurationError(source, [name], value, `milliseconds, a number from 0${end}`)
}
