import type { Observer } from '../contracts/events.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { ignoreRejection } from '../primitives/is-promise.ts'

/**
 * Combines observers: `observe: observers(requestLog(), metrics.observe)`. Calls each with every event, in order. Errors and
 * rejections of one are ignored, and do not affect the others. Entries that are `undefined` are skipped.
 *
 * Throws `ConfigurationError` for an entry that is not a function.
 */
export function observers(...list: readonly (Observer | undefined)[]): Observer {
  const safe = list.flatMap((observe, at) =>
    observe === undefined ? [] : [safeObserver(checked(observe, at))],
  )
  return event => {
    for (const observe of safe) observe(event)
  }
}

function checked(observe: unknown, at: number): Observer {
  if (typeof observe === 'function') return observe as Observer
  throw configurationError('observers()', [at], observe, 'a function of an event, or undefined')
}

/** Returns an observer that ignores errors and rejections of another. */
export function safeObserver(observe: Observer | undefined): Observer {
  if (observe === undefined) return () => {}
  return event => {
    try {
      ignoreRejection(observe(event))
    } catch {
      // An observer must not fail requests.
    }
  }
}
