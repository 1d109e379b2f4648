import type { CacheKey } from '@sluice/core/store'
import type { AlertClaim } from './alert-claims.ts'
import { BoundedSet } from './bounded-set.ts'
import type { TimedStore } from './timed-store.ts'

/** What an alert says is wrong, until it has recovered. */
export interface Trouble {
  /** Such as `target_down ["north","small"]`. */
  readonly subject: string
  /** The window of the last alert about it; 0 if there are no windows. */
  readonly window: number
}

export interface RecoveriesOptions {
  readonly store: TimedStore
  /** Milliseconds after which a process that has not sent a recovery is taken for dead. */
  readonly sendingMs: number
  readonly onStoreFailure: (error: unknown) => void
}

/** How long a recovery may follow an alert. */
const troubleMs = 30 * 86_400_000
/** Subjects beyond it have no recovery. */
const maxUnstored = 10_000

/**
 * Claims recoveries, so that one process of many sends each, and only after an alert that was sent. While the store does not respond,
 * each process decides for itself.
 */
export class Recoveries {
  readonly #options: RecoveriesOptions
  /** Subjects whose alert this process has sent, and the store has not: it did not respond, or was full. */
  readonly #unstored = new BoundedSet(maxUnstored)

  constructor(options: RecoveriesOptions) {
    this.#options = options
  }

  /** Stores that an alert about it was sent. A later window replaces an earlier one. */
  async begin({ subject, window }: Trouble): Promise<void> {
    const { store, onStoreFailure } = this.#options
    const [key, text] = [keyOf(subject), textOf(window)]
    try {
      for (;;) {
        const added = await store.add(key, text, { ttlMs: troubleMs, pinned: true })
        if (added === 'full') this.#unstored.add(subject)
        if (typeof added !== 'object' || windowOf(added.existing) >= window) return
        if (await store.replace(key, added.existing, text, { ttlMs: troubleMs, pinned: true })) return
      }
    } catch (error) {
      this.#unstored.add(subject)
      onStoreFailure(error)
    }
  }

  /** Returns the claim of its recovery; `undefined` if no alert about it was sent, a later one was, or another process has the claim. */
  async claim({ subject, window }: Trouble, id: string): Promise<AlertClaim | undefined> {
    const { store, sendingMs, onStoreFailure } = this.#options
    const [key, text, lock] = [keyOf(subject), textOf(window), `sending ${id}`]
    const replace = async (expected: string, next: string | undefined, ttlMs: number): Promise<boolean> => {
      try {
        return await store.replace(key, expected, next, { ttlMs, pinned: true })
      } catch (error) {
        onStoreFailure(error)
        return true
      }
    }
    const isClaimed = await replace(text, lock, sendingMs)
    if (!this.#unstored.delete(subject) && !isClaimed) return undefined
    return {
      sent: async () => void (await replace(lock, undefined, sendingMs)),
      failed: async () => void (await replace(lock, text, troubleMs)),
    }
  }
}

/** An owner of its own: stores bound the entries of each. */
function keyOf(subject: string): CacheKey {
  return { owner: `alerts recovery ${subject}`, name: 'alert' }
}

function textOf(window: number): string {
  return `since ${window}`
}

/** Returns the window of a text; that of a recovery which is being sent is earlier than all. */
function windowOf(text: string): number {
  return text.startsWith('since ') ? Number(text.slice('since '.length)) : Number.NEGATIVE_INFINITY
}
