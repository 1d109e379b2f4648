import { createHash, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { SegmentName } from './segment-name.ts'

/** The journals of this process. */
const own = new Set<string>()

/** A segment that was not touched for so long is taken over, whoever its owner is. */
const idleMs = 60_000

/** Whose segments a journal writes. */
export interface Owner {
  readonly host: string
  readonly pid: number
  readonly journal: string
}

export function createOwner(): Owner {
  const journal = randomUUID()
  own.add(journal)
  return {
    host: createHash('sha256').update(hostname()).digest('hex').slice(0, 8),
    pid: process.pid,
    journal,
  }
}

/**
 * Whether a segment of another journal should be left to it. It is a courtesy and not a lock: an owner sees that a
 * segment was taken, and writes to another one.
 */
export function isAlive({ host, pid, journal }: SegmentName, here: Owner, idle: number): boolean {
  if (host !== here.host || idle > idleMs) return false
  if (pid === process.pid) return own.has(journal)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user is there too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
