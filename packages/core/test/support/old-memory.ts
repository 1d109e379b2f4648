import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as (options: { type: 'minor' }) => void

/**
 * By how many bytes what the engine counts as old grows over so many turns, while it looks for garbage among the young
 * alone, as it does nearly all the time. For tests: what has ended must not be kept by what came before it.
 */
export function oldBytesOver(turns: number, turn: (nth: number) => void): number {
  // What outlives two collections of the young counts as old from then on, dead or alive.
  for (let times = 0; times < 3; times++) gc({ type: 'minor' })
  const before = oldBytes()
  for (let nth = 0; nth < turns; nth++) {
    turn(nth)
    if (nth % 320 === 0) gc({ type: 'minor' })
  }
  return oldBytes() - before
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size
}
