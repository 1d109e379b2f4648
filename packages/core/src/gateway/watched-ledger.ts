import { LedgerState } from '../accounting/ledger-state.ts'
import type { Clock } from '../clock/clock.ts'
import type { Observer } from '../contracts/events.ts'
import type { Ledger } from '../contracts/ledger.ts'
import { memberOf } from '../primitives/own-members.ts'
import { bounded } from './bounded-policies.ts'

/**
 * A ledger that has to keep an entry within `ms`. `observe` is told when it begins to fail, and when it works again.
 * Its `close`, `cancel`, `unused` and `flush` never fail.
 */
export function watchedLedger(
  ledger: Ledger | undefined,
  ms: number,
  observe: Observer,
  clock: Clock,
): Ledger | undefined {
  if (ledger === undefined) return undefined
  const state = new LedgerState(observe)
  const watch = async (part: string, run: () => void | Promise<void>): Promise<void> => {
    try {
      await run()
    } catch (error) {
      state.fails(part, error)
      throw error
    }
    state.works(part)
  }
  return {
    open: (entry, progress) =>
      watch('open', () => bounded(clock, 'ledger', ledger.open(entry, progress), ms)),
    close: closing => watch('close', () => ledger.close(closing)).catch(() => {}),
    ...(memberOf(ledger, 'cancel') !== undefined && {
      cancel: entry => watch('close', () => ledger.cancel?.(entry)).catch(() => {}),
    }),
    ...(memberOf(ledger, 'unused') !== undefined && {
      unused: closing => watch('close', () => ledger.unused?.(closing)).catch(() => {}),
    }),
    flush: () => watch('flush', () => ledger.flush?.()).catch(() => {}),
  }
}
