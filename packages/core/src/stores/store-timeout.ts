import type { OptionCheck } from '../errors/check-options.ts'

/** How long an operation of a store may take by default, in milliseconds: a request waits for it. */
export const defaultStoreTimeoutMs = 50

const maxStoreTimeoutMs = 60_000

/** Checks an option `storeTimeoutMs`. */
export const aStoreTimeout: OptionCheck = value =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxStoreTimeoutMs
    ? undefined
    : `a whole number from 1 to ${maxStoreTimeoutMs}`
