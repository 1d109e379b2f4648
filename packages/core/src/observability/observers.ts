import type { Observer } from '../contracts/events.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { isPromise } from '../primitives/is-promise.ts'

/**
 * Combines observers: `observe: observers(requestLog(), metrics.observe)`. Calls each with every event, in order. Errors and
 * rejections of one do not affect the others; its first one is a warning of the process. Entries that are `undefined` are skipped.
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

/**
 * Returns an observer that ignores errors and rejections of another, which must not fail requests. The first one is a warning of
 * the process.
 */
export function safeObserver(observe: Observer | undefined): Observer {
  if (observe === undefined) return () => {}
  return event => {
    try {
      const returned: unknown = observe(event)
      if (isPromise(returned)) returned.then(undefined, error => warnOnce(observe, error))
    } catch (error) {
      warnOnce(observe, error)
    }
  }
}

const warned = new WeakSet<Observer>()

/** Never throws. */
function warnOnce(observe: Observer, error: unknown): void {
  if (warned.has(observe)) return
  warned.add(observe)
  try {
    warn(error instanceof Error ? error.stack : String(error))
  } catch {
    // What was thrown has no text, or the warning itself fails.
  }
}

function warn(detail: string | undefined): void {
  const message = 'An observer has failed, and misses events. Its further failures are not reported.'
  const there = globalThis as { readonly process?: { readonly emitWarning?: EmitWarning } }
  const options = { type: 'SluiceWarning', code: 'SLUICE_OBSERVER_FAILED', detail }
  if (typeof there.process?.emitWarning !== 'function') console.warn(message, detail)
  else there.process.emitWarning(message, options)
}

type EmitWarning = (
  message: string,
  options: { readonly type: string; readonly code: string; readonly detail: string | undefined },
) => void
