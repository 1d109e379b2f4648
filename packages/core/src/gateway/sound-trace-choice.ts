import type { Observer } from '../contracts/events.ts'
import type { Principal } from '../contracts/principal.ts'
import type { GatewayOptions } from './config.ts'

/**
 * Who is told how requests are routed; `undefined`: nobody. Never throws: where a function of the user's fails, that
 * caller is told nothing. `observe` is told when it begins to fail, and again only after it has worked.
 */
export function soundTraceChoice(
  choice: GatewayOptions['traceHeader'],
  observe: Observer,
): ((principal: Principal) => boolean) | undefined {
  if (choice === undefined || choice === false) return undefined
  if (choice === true) return () => true
  let failing = false
  const fails = (error: unknown): boolean => {
    if (failing) return false
    failing = true
    const message = 'The function traceHeader fails: no trace is told to callers.'
    observe({ type: 'warning', code: 'trace_header_failed', message, error })
    return false
  }
  return principal => {
    try {
      const told: unknown = choice(principal)
      if (typeof told !== 'boolean') return fails(mistaken(told))
      failing = false
      return told
    } catch (error) {
      return fails(error)
    }
  }
}

function mistaken(told: unknown): TypeError {
  // Of a promise nobody waits for, nobody hears that it fails.
  const promised = typeof told === 'object' && told !== null && 'then' in told
  if (promised) void Promise.resolve(told).catch(() => {})
  return new TypeError(`traceHeader: got ${promised ? 'a promise' : typeof told}, expected true or false.`)
}
