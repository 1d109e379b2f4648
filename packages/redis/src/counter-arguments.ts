import { burstOf, type Counter, cellCost } from '@sluice/core/store'

/** Whether a claim holds an amount of this counter until it is settled. */
export function isHeldUntilSettled(counter: Counter): boolean {
  return counter.kind !== 'rate' || counter.floor !== undefined
}

/**
 * Returns a counter as script arguments: kind, limit, window (of a rate: its burst), amount, refund if it is never
 * settled, whether it is a dry run, and the charged amount. Rates are in microseconds. Throws `TypeError` unless all
 * numbers are whole: Redis would store `NaN`, which never exceeds a limit.
 */
export function counterArguments(counter: Counter, charged = 0): string[] {
  const { kind, key } = counter
  const limit = assertWholeNumber(counter.limit, 1, 'limit', key)
  const dryRun = counter.dryRun ? '1' : '0'
  if (kind === 'lease') return [kind, String(limit), '', '1', '', dryRun, '']
  const amount = assertWholeNumber(counter.amount, 0, 'amount', key)
  const floor = counter.floor === undefined ? undefined : assertWholeNumber(counter.floor, 0, 'floor', key)
  if (floor !== undefined && floor > amount) {
    throw new TypeError(`The counter ${key}: got the floor ${floor}, expected at most its amount, ${amount}.`)
  }
  if (kind === 'rate') assertWholeNumber(counter.windowMs, 1, 'windowMs', key)
  const cost = kind === 'rate' ? (of: number) => cellCost(counter, of) : (of: number) => of
  return [
    kind,
    String(limit),
    kind === 'rate' ? String(burstOf(counter)) : counter.window,
    String(cost(amount)),
    floor === undefined ? '' : String(cost(amount) - cost(floor)),
    dryRun,
    String(cost(assertWholeNumber(charged, 0, 'charge', key))),
  ]
}

function assertWholeNumber(value: number, least: number, what: string, key: string): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new TypeError(
    `The counter ${key}: got the ${what} ${value}, expected a whole number from ${least} to ${Number.MAX_SAFE_INTEGER}.`,
  )
}
