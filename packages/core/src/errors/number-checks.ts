import { maxTimerMs } from '../clock/clock.ts'
import type { OptionCheck } from './check-options.ts'

export const aCount: OptionCheck = value =>
  Number.isInteger(value) && (value as number) >= 1 ? undefined : 'a whole number from 1'
export const aCountFromNone: OptionCheck = value =>
  Number.isInteger(value) && (value as number) >= 0 ? undefined : 'a whole number from 0'
export const aShare: OptionCheck = value =>
  typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'a number from 0 to 1'
export const aShareOfSome: OptionCheck = value =>
  value !== 0 && aShare(value) === undefined ? undefined : 'a number above 0, at most 1'
export const aSpan: OptionCheck = value =>
  typeof value === 'number' && value > 0 && value <= maxTimerMs
    ? undefined
    : `a number above 0, at most ${maxTimerMs}`
