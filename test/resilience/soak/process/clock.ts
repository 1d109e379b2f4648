/**
 * Milliseconds of the machine's monotonic clock. On Linux (CLOCK_MONOTONIC) and macOS all processes share it, so that
 * a time taken in one can be subtracted from a time taken in another.
 */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
