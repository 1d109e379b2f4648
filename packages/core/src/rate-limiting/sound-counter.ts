import type { Counter } from '../contracts/limit-store.ts'

/** Throws `TypeError` for what is no whole number: what is not a number has room for everything. */
export function checkCounter(counter: Counter): void {
  checkWhole(counter, 'limit', counter.limit, 1)
  if (counter.kind === 'lease') return
  checkWhole(counter, 'amount', counter.amount, 0)
  if (counter.kind === 'rate') checkWhole(counter, 'windowMs', counter.windowMs, 1)
  if (counter.floor === undefined) return
  checkWhole(counter, 'floor', counter.floor, 0)
  if (counter.floor > counter.amount) {
    throw new TypeError(
      `The counter ${counter.key}: got the floor ${counter.floor}, expected at most its amount, ${counter.amount}.`,
    )
  }
}

function checkWhole({ key }: Counter, what: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return
  throw new TypeError(
    `The counter ${key}: got the ${what} ${value}, expected a whole number from ${least} to ${Number.MAX_SAFE_INTEGER}.`,
  )
}
