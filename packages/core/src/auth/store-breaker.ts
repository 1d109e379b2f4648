/** So many failures one after the other, and the store is spared. */
const tolerated = 5
/** The shortest time between a failure of a spared store and the next question to it, in milliseconds. */
const pauseMs = 250

/** One question to a store. It is told how the question ended, once. */
export interface Question {
  worked(): void
  failed(error: unknown): void
}

export interface StoreBreaker {
  /** Lets one question through, or `undefined` where the store is spared. */
  enter(): Question | undefined
  /** The last failure. */
  readonly error: unknown
}

/**
 * Spares a store that fails: after five failures in a row it is asked one question at a time, until one works. Of
 * questions that were asked before it was spared, and end later, nothing is learned. `tell` hears each change once.
 */
export function storeBreaker(
  now: () => number,
  tell: (state: 'failing' | 'working', error?: unknown) => void,
): StoreBreaker {
  let failures = 0
  let open = false
  let probing = false
  let failedAt = 0
  let last: unknown
  /** Of questions that are told apart by whether the store was spared when they were asked. */
  let generation = 0

  const change = (toOpen: boolean) => {
    open = toOpen
    generation++
    failures = 0
    probing = false
    tell(open ? 'failing' : 'working', open ? last : undefined)
  }
  return {
    get error() {
      return last
    },
    enter() {
      if (open) {
        const since = now() - failedAt
        // A clock that was put back must not spare the store for as long.
        if (probing || (since >= 0 && since < pauseMs)) return undefined
        probing = true
      }
      const asked = generation
      return {
        worked() {
          if (asked !== generation) return
          if (open) change(false)
          else failures = 0
        },
        failed(error) {
          if (asked !== generation) return
          last = error
          probing = false
          failedAt = now()
          if (!open && ++failures >= tolerated) change(true)
        },
      }
    },
  }
}
