import type { Observer } from '../contracts/events.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { ignoreRejection } from '../primitives/is-promise.ts'

/**
 * Tells several observers of everything, in their order: `observe: observers(requestLog(), metrics.observe)`. One that
 * throws, or whose promise fails, does not keep the others from hearing; what it threw is ignored, as a gateway does with
 * the one that it has. An entry that is `undefined` is left out.
 *
 * Throws `ConfigurationError` for what is no function.
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

/** An observer whose throws are nobody's problem but its own. It sees; it cannot change what it sees. */
export function safeObserver(observe: Observer | undefined): Observer {
  if (observe === undefined) return () => {}
  return event => {
    try {
      ignoreRejection(observe(event))
    } catch {
      // As above.
    }
  }
}
