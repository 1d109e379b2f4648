import { withTimeout } from '../clock/with-timeout.ts'
import type { Timeouts } from '../contracts/call-options.ts'
import type { Lease, Limiter } from '../contracts/limiter.ts'
import type { CallTarget } from '../contracts/route.ts'
import { GatewayError } from '../errors/errors.ts'
import type { Lifetime } from '../http/lifetime.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { withDefaults } from '../primitives/with-defaults.ts'
import type { AttemptObserver, CallDependencies } from './call-context.ts'

/** Returns the dependencies of the calls of a target, with its own timeouts. */
export function dependenciesOf(
  { callOptions }: CallTarget,
  dependencies: CallDependencies,
): CallDependencies {
  const own = callOptions?.timeouts
  if (own === undefined) return dependencies
  const { timeouts, fixedTimeouts } = dependencies
  return { ...dependencies, timeouts: { ...withDefaults<Timeouts>(timeouts, own), ...fixedTimeouts } }
}

/** Admits a call by the limits of its target. Throws `GatewayError` where they are exceeded, or do not answer in time. */
export function admitCall(
  target: CallTarget,
  limiter: Limiter,
  lifetime: Lifetime,
  observer: Pick<AttemptObserver, 'admitCall'>,
  { clock, timeouts }: CallDependencies,
): Lease | Promise<Lease> {
  const admitting = observer.admitCall(target, limiter, lifetime)
  if (!isPromise(admitting)) return admitting
  const ms = timeouts.policyMs + (limiter.maxWaitMs ?? 0)
  const expired = () => {
    const cause = new Error(`The limits of a target timed out after ${ms} ms (\`timeouts.policyMs\`).`)
    throw new GatewayError('limiter_unavailable', { cause })
  }
  return withTimeout(clock, ms, admitting, expired, lease => lease.settle(undefined, null))
}
