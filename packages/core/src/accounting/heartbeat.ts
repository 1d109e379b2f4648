import type { Charge } from '../contracts/ledger.ts'
import type { LedgerBatch } from '../contracts/ledger-repository.ts'

type Progress = () => Charge | undefined

/** A record that is open. */
interface Open {
  /** `undefined` once it is closed: a map's old tables are kept for a while, and what is in them, and this holds a request. */
  progress: Progress | undefined
}

/** The records that are open in this process, and of which it has to be told that they live. */
export class Heartbeat {
  readonly #open = new Map<string, Open>()
  #due: string[] = []

  get size(): number {
    return this.#open.size
  }

  /** Whether anything is to be told. */
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

  /** All that is open now is to be told. */
  beat(): void {
    this.#due = [...this.#open.keys()]
  }

  /** At most so many of those that are to be told. */
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

/** A record whose progress cannot be told lives all the same. */
function chargeSoFar(progress: Progress): Charge | undefined {
  try {
    return progress()
  } catch {
    return undefined
  }
}
