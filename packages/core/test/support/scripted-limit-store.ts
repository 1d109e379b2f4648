import type { Claim, LimitDecision, LimitStore, Settlement } from '../../src/contracts/limit-store.ts'
import { memoryLimitStore } from '../../src/rate-limiting/memory-limit-store.ts'

/**
 * `answers`: in a later microtask. `hangs`: whenever `thaw` is called. `rejects`: without having done it; `loses`:
 * having done it. `throws`: at once. `at_once`: answers without a promise.
 */
export type StoreMode = 'answers' | 'at_once' | 'hangs' | 'rejects' | 'loses' | 'throws'

/** For tests: a store that does what it is told to. */
export class ScriptedLimitStore implements LimitStore {
  readonly memory = memoryLimitStore()
  readonly admitted: Claim[] = []
  readonly settled: Settlement[] = []
  readonly renewed: { readonly ids: readonly string[]; readonly ttlMs: number }[] = []
  mode: StoreMode
  /** How many operations it was asked for. */
  asked = 0
  #hanging: (() => void)[] = []

  constructor(mode: StoreMode = 'answers') {
    this.mode = mode
  }

  admit(claim: Claim): LimitDecision | Promise<LimitDecision> {
    this.admitted.push(claim)
    return this.#play(() => this.memory.admit(claim))
  }

  settle(settlement: Settlement): void | Promise<void> {
    return this.#play(() => {
      this.settled.push(settlement)
      this.memory.settle(settlement)
    })
  }

  renew(claims: readonly Pick<Claim, 'id' | 'counters'>[], ttlMs: number): void | Promise<void> {
    return this.#play(() => {
      this.renewed.push({ ids: claims.map(({ id }) => id), ttlMs })
      this.memory.renew(claims, ttlMs)
    })
  }

  /** What hangs is done now, in its order, and from now on all is answered. */
  thaw(): void {
    this.mode = 'answers'
    for (const go of this.#hanging.splice(0)) go()
  }

  #play<T>(run: () => T): T | Promise<T> {
    this.asked++
    switch (this.mode) {
      case 'at_once':
        return run()
      case 'answers':
        return Promise.resolve().then(run)
      case 'hangs':
        return new Promise((resolve, reject) => {
          this.#hanging.push(() => {
            try {
              resolve(run())
            } catch (error) {
              reject(error)
            }
          })
        })
      case 'rejects':
        return Promise.reject(new Error('refused'))
      case 'loses':
        run()
        return Promise.reject(new Error('connection lost'))
      case 'throws':
        throw new Error('broken')
    }
  }
}
