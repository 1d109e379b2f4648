import { burstOf, type Counter, type CounterState, cellsIn, type LimitDecision } from '@sluice/core/store'
import { parseWholeNumber } from './parse-whole-number.ts'

/** Parses the reply of the admit script. Throws for any other reply, which must not admit a request. */
export function parseDecision(reply: unknown, counters: readonly Counter[]): LimitDecision {
  const numbers = Array.isArray(reply) ? reply.map(parseWholeNumber) : []
  const [allowed = Number.NaN, ...rest] = numbers
  if (numbers.length !== 1 + 4 * counters.length || !isFlag(allowed)) throw unexpectedReply(counters)
  const states = counters.map((counter, index) => {
    const [over = Number.NaN, used = Number.NaN, reset = Number.NaN, wait = Number.NaN] = rest.slice(
      4 * index,
    )
    if (!(isFlag(over) && used >= 0 && reset >= -1 && wait >= -1)) throw unexpectedReply(counters)
    return parseCounterState(counter, over === 1, used, reset, wait)
  })
  const refused = states.some(({ over }, index) => over && counters[index]?.dryRun === false)
  if (refused === (allowed === 1)) throw unexpectedReply(counters)
  return { allowed: allowed === 1, counters: states }
}

function parseCounterState(
  counter: Counter,
  over: boolean,
  used: number,
  reset: number,
  wait: number,
): CounterState {
  const remaining =
    counter.kind === 'rate'
      ? cellsIn(counter, Math.max(0, burstOf(counter) - used))
      : Math.max(0, counter.limit - used)
  return { over, remaining, resetMs: msOf(reset), waitMs: msOf(wait) }
}

function msOf(microseconds: number): number {
  return microseconds === -1 ? Number.POSITIVE_INFINITY : microseconds / 1_000
}

function isFlag(number: number): boolean {
  return number === 0 || number === 1
}

function unexpectedReply(counters: readonly Counter[]): Error {
  return new Error(
    `Redis did not answer what its limit script answers: expected ${1 + 4 * counters.length} whole numbers that agree.`,
  )
}
