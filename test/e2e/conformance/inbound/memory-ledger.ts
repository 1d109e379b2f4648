import type { Ledger } from '@sluice/core'
import type { LedgerClosing, LedgerEntry } from '@sluice/core/ledger'

/** A ledger in memory, for one test. */
export interface MemoryLedger {
  readonly ledger: Ledger
  readonly entries: readonly LedgerEntry[]
  /** Resolves with the closings once there are this many. */
  closings(count: number): Promise<readonly LedgerClosing[]>
}

export function memoryLedger(): MemoryLedger {
  const entries: LedgerEntry[] = []
  const closed: LedgerClosing[] = []
  const waiting = new Set<() => void>()
  return {
    ledger: {
      open: entry => {
        entries.push(entry)
      },
      close: closing => {
        closed.push(closing)
        for (const wake of waiting) wake()
      },
    },
    entries,
    async closings(count) {
      while (closed.length < count) {
        await new Promise<void>(resolve => {
          waiting.add(resolve)
        })
        waiting.clear()
      }
      return closed
    },
  }
}
