import { BusyMachineError, tolerated, watchOthers } from './others.ts'

/** How often, and what happens while other programs use the machine. */
export interface Turns {
  readonly rounds: number
  /** Measures whatever other programs use. */
  readonly busy: boolean
}

/**
 * Measures several things alternately: each round measures each of them once, in an order that shifts by one from round to
 * round. A round in which other programs used more than `tolerated` is repeated.
 *
 * @returns for each round what was measured, in the order of `measures`.
 * @throws {BusyMachineError} once as many rounds as were asked for had to be repeated.
 */
export async function inTurns<T>(
  { rounds, busy }: Turns,
  measures: readonly (() => T | Promise<T>)[],
): Promise<T[][]> {
  const kept: T[][] = []
  const others = watchOthers()
  let repeated = 0
  while (kept.length < rounds) {
    const round = new Array<T>(measures.length)
    others()
    for (let at = 0; at < measures.length; at++) {
      const turn = (at + kept.length) % measures.length
      round[turn] = await measures[turn]!()
    }
    const share = others() ?? 0
    if (busy || share <= tolerated) kept.push(round)
    else if (++repeated === rounds) throw new BusyMachineError(share)
  }
  return kept
}
