import type { Observer } from '../contracts/events.ts'
import type { LoadShedder } from '../contracts/load-shedder.ts'
import { memberOf } from '../primitives/own-members.ts'

/**
 * A load shedder of the user's making that never throws: one that fails refuses nobody. `observe` is told when it
 * begins to fail, and again only after it has worked.
 */
export function soundShedder(shedder: LoadShedder | undefined, observe: Observer): LoadShedder | undefined {
  if (shedder === undefined) return undefined
  let failing = false
  const fails = (error: unknown): undefined => {
    if (failing) return
    failing = true
    const message = 'The load shedder fails: requests are let in without it.'
    observe({ type: 'warning', code: 'load_shedder_failed', message, error })
  }
  return Object.assign<LoadShedder, Pick<LoadShedder, 'close'>>(
    load => {
      try {
        const reason: unknown = shedder(load)
        if (reason !== undefined && typeof reason !== 'string') return fails(mistaken(reason))
        failing = false
        return reason
      } catch (error) {
        return fails(error)
      }
    },
    {
      close() {
        try {
          if (memberOf(shedder, 'close') !== undefined) shedder.close?.()
        } catch (error) {
          fails(error)
        }
      },
    },
  )
}

function mistaken(reason: unknown): TypeError {
  // Of a promise nobody waits for, nobody hears that it fails.
  const promised = typeof reason === 'object' && reason !== null && 'then' in reason
  if (promised) void Promise.resolve(reason).catch(() => {})
  const got = promised ? 'a promise' : String(typeof reason)
  return new TypeError(`shed: got ${got}, expected a text, which is the reason to refuse, or undefined.`)
}
