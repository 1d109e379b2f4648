import { number } from '../shape/values.ts'

/** Timers take no more, and fire at once where they are given more. */
const maxTimerMs = 2_147_483_647

export const milliseconds = number(
  { above: 0, max: maxTimerMs },
  `milliseconds above 0, at most ${maxTimerMs}`,
)
export const millisecondsFromNone = number(
  { min: 0, max: maxTimerMs },
  `milliseconds from 0, at most ${maxTimerMs}`,
)
export const count = number({ min: 1, max: Number.MAX_SAFE_INTEGER, whole: true }, 'a whole number from 1')
export const countFromNone = number(
  { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true },
  'a whole number from 0',
)
export const share = number({ min: 0, max: 1 }, 'a number from 0 to 1')
export const shareOfSome = number({ above: 0, max: 1 }, 'a number above 0, at most 1')
export const weight = number({ min: 0 }, 'a number from 0')
export const dollars = number({ min: 0 }, 'US dollars, a number from 0')
