/** Timers take no more, and fire at once where they are given more. */
const maxTimerMs = 2_147_483_647

/**
 * Throws `TypeError` for milliseconds that no timer can wait: NaN, text or a negative number would be no wait at all.
 *
 * @param max - `Infinity` where the wait may be without end.
 */
export function checkMilliseconds(caller: string, name: string, value: unknown, max = maxTimerMs): void {
  if (value === undefined || (typeof value === 'number' && value >= 0 && value <= max)) return
  const got = typeof value === 'string' ? `'${value}'` : String(value)
  const end = max === maxTimerMs ? ` to ${maxTimerMs}` : ''
  throw new TypeError(`${caller}: got ${name} ${got}, expected milliseconds, a number from 0${end}.`)
}
