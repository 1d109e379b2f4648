import type { Ledger, LedgerClosing, LedgerEntry } from '../../src/contracts/ledger.ts'

/** For tests: a ledger that keeps what it is given, and does as it is told. */
export interface ScriptedLedger extends Ledger {
  /** What happened, in order: `open`, `close`, `flush`, with what the test adds. */
  readonly heard: string[]
  readonly entries: LedgerEntry[]
  readonly progress: Parameters<Ledger['open']>[1][]
  readonly closings: LedgerClosing[]
}

export function scriptedLedger(script: Partial<Ledger> = {}): ScriptedLedger {
  const heard: string[] = []
  const entries: LedgerEntry[] = []
  const progress: Parameters<Ledger['open']>[1][] = []
  const closings: LedgerClosing[] = []
  return {
    heard,
    entries,
    progress,
    closings,
    open(entry, soFar) {
      heard.push('open')
      entries.push(entry)
      progress.push(soFar)
      return script.open?.(entry, soFar)
    },
    close(closing) {
      heard.push('close')
      closings.push(closing)
      return script.close?.(closing)
    },
    flush() {
      heard.push('flush')
      return script.flush?.()
    },
  }
}
