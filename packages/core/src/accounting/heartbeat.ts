import type { Charge } from '../contracts/ledger.ts'
import type { LedgerBatch } from '../contracts/ledger-repository.ts'

type Progress = () => Charge | undefined

/** An open record. */
interface Open {
  /** `undefined` once it is closed: V8 keeps the old tables of a map for a while, and this would keep the request. */
  progress: Progress | undefined
}

/** The records that are open in this process, and which of them need a heartbeat. */
export class Heartbeat {
  readonly #open = new Map<string, Open>()
  #due: string[] = []

  get size(): number {
    return this.#open.size
  }

  /** Whether a heartbeat is due. */
  get due(): boolean {
    return this.#due.length > 0
  }

  begin(id: string, progress: Progress): void {
    this.#open.set(id, { progress })
  }

  end(id: string): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    open.progress = undefined
    this.#open.delete(id)
  }

  /** Makes a heartbeat due for every open record. */
  beat(): void {
    this.#due = [...this.#open.keys()]
  }

  /** Removes and returns at most so many of the records that are due. */
  take(most: number): LedgerBatch['progress'] {
    const taken: { id: string; charge: Charge | undefined }[] = []
    while (taken.length < most) {
      const id = this.#due.pop()
      if (id === undefined) break
      const progress = this.#open.get(id)?.progress
      if (progress !== undefined) taken.push({ id, charge: chargeSoFar(progress) })
    }
    return taken
  }
}

/** A record whose progress throws is alive all the same. */
function chargeSoFar(progress: Progress): Charge | undefined {
  try {
    return progress()
  } catch {
    return undefined
  }
}
