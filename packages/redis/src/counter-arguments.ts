import { burstOf, type Counter, cellCost } from '@sluice/core/store'

/** Whether a claim keeps hold of something of this count until it is settled. */
export function holds(counter: Counter): boolean {
  return counter.kind !== 'rate' || counter.floor !== undefined
}

/**
 * A counter as the scripts read it: kind, limit, window (of a rate, what may be taken at once), what it takes, what it
 * gives back if it is never settled, whether it is a dryRun, what it was charged. Rates are told in microseconds. Throws `TypeError` for what is no whole number:
 * Redis would keep it, and what is not a number has room for everything.
 */
export function counterArguments(counter: Counter, charged = 0): string[] {
  const { kind, key } = counter
  const limit = whole(counter.limit, 1, 'limit', key)
  const dryRun = counter.dryRun ? '1' : '0'
  if (kind === 'lease') return [kind, String(limit), '', '1', '', dryRun, '']
  const amount = whole(counter.amount, 0, 'amount', key)
  const floor = counter.floor === undefined ? undefined : whole(counter.floor, 0, 'floor', key)
  if (floor !== undefined && floor > amount) {
    throw new TypeError(`The counter ${key}: got the floor ${floor}, expected at most its amount, ${amount}.`)
  }
  if (kind === 'rate') whole(counter.windowMs, 1, 'windowMs', key)
  const cost = kind === 'rate' ? (of: number) => cellCost(counter, of) : (of: number) => of
  return [
    kind,
    String(limit),
    kind === 'rate' ? String(burstOf(counter)) : counter.window,
    String(cost(amount)),
    floor === undefined ? '' : String(cost(amount) - cost(floor)),
    dryRun,
    String(cost(whole(charged, 0, 'charge', key))),
  ]
}

function whole(value: number, least: number, what: string, key: string): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new TypeError(
    `The counter ${key}: got the ${what} ${value}, expected a whole number from ${least} to ${Number.MAX_SAFE_INTEGER}.`,
  )
}
