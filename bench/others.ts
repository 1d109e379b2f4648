import { readdirSync, readFileSync } from 'node:fs'

/** How much CPU of a core other programs may use during a measurement. */
export const tolerated = 0.1

/** Another program used the machine during a measurement. */
export class BusyMachineError extends Error {
  constructor(share: number) {
    super(
      `Other programs use ${Math.round(share * 100)} % of a core: wait until they have ended, or measure all the same with --busy.`,
    )
  }
}

/** CPU time in ticks of the kernel, of which there are 100 in a second. */
export interface Ticks {
  /** Of all programs. */
  readonly all: number
  /** Of one process and its descendants. */
  readonly own: number
  readonly at: number
}

/**
 * Returns what share of a core other programs have used since the call before; 1 is a whole core. `undefined` where
 * the system has no `/proc`.
 */
export function watchOthers(): () => number | undefined {
  let before = ticksNow()
  return () => {
    const now = ticksNow()
    if (before === undefined || now === undefined) return undefined
    const others = now.all - before.all - (now.own - before.own)
    const seconds = (now.at - before.at) / 1_000
    before = now
    return Math.max(others / 100 / seconds, 0)
  }
}

/** What all programs have used, and what a process and its descendants have; `undefined` without `/proc`. */
export function ticksNow(id = process.pid): Ticks | undefined {
  try {
    const stat = readFileSync('/proc/stat', 'utf8')
    return { ...ticksIn(stat, statsOfProcesses(), id), at: performance.now() }
  } catch {
    return undefined
  }
}

function statsOfProcesses(): string[] {
  return readdirSync('/proc').flatMap(name => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/stat`, 'latin1')] : []
    } catch {
      // It has ended.
      return []
    }
  })
}

/**
 * What all programs have used, and what one process and its descendants have, those that have ended included.
 *
 * @param stat - the text of `/proc/stat`.
 * @param processes - the texts of `/proc/ID/stat`.
 */
export function ticksIn(stat: string, processes: readonly string[], self: number): Omit<Ticks, 'at'> {
  const [, user, nice, system, , , , , steal] = stat.split(/\s+/).map(Number)
  const known = new Map(processes.map(usedBy))
  const isOwn = (id: number): boolean => {
    const found = known.get(id)
    return id === self || (found !== undefined && isOwn(found.parent))
  }
  const own = [...known].reduce((sum, [id, { ticks }]) => (isOwn(id) ? sum + ticks : sum), 0)
  return { all: user! + nice! + system! + steal!, own }
}

/** The id of a process, its parent, and what it has used, its children that have ended included. */
function usedBy(text: string): [id: number, used: { readonly parent: number; readonly ticks: number }] {
  // The name of a program may have spaces and parentheses: what follows starts after the last one.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const ticks = fields[11]! + fields[12]! + fields[13]! + fields[14]!
  return [Number.parseInt(text, 10), { parent: fields[1]!, ticks }]
}
