import type { CountReply } from '../contracts/provider.ts'
import type { CallTarget } from '../contracts/route.ts'
import type { KeyUse } from '../contracts/target-health.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import { GatewayError } from '../errors/errors.ts'
import { memberOf } from '../primitives/own-members.ts'
import type { AttemptObserver, CallContext, CallDependencies } from './call-context.ts'
import { dependenciesOf } from './call-options.ts'
import { CountRequest } from './call-request.ts'
import { checkReply } from './open-call.ts'
import { planCall } from './plan-call.ts'
import { ProviderCall } from './provider-call.ts'

/** How long a vendor may take for a count. Afterwards an estimate serves the client better. */
const maxCountMs = 10_000

/** What the health of a target gets in place of a result: a vendor that fails to count may answer all the same. */
const uncounted = new Error('Counts do not affect the health of a target.')

/**
 * Asks a target's vendor for the number of tokens of a prompt, once. Rejects with whatever failed: `UpstreamError`, or
 * `GatewayError` if the target is unavailable or its provider cannot encode the request.
 */
export async function callCount(
  request: GenerateRequest,
  target: CallTarget,
  context: CallContext,
  observer: AttemptObserver,
  dependencies: CallDependencies,
): Promise<number> {
  const within = dependenciesOf(target, dependencies)
  const { clock, health, timeouts, unsupportedParameters } = within
  const { provider } = target
  const now = clock.monotonic()
  const keys: KeyUse | undefined =
    memberOf(provider, 'keys') === undefined
      ? undefined
      : { random: () => context.random(), failed: [], forbidden: new Map() }
  const healthCall = health.of(target).begin(now, false, context.caller, keys, target.callOptions)
  if (!('ended' in healthCall)) throw new GatewayError('overloaded')
  const entry = observer.attempts.begin(target, now)
  if (keys !== undefined) entry.key = healthCall.key
  const totalAt = now + Math.min(maxCountMs, timeouts.totalMs)
  const call = new ProviderCall(context.lifetime, within, totalAt, entry, context.caller, observer)
  let failure: unknown
  try {
    const options = { unsupportedParameters, key: entry.key }
    const { planned } = planCall(new CountRequest(request), target, options)
    const reply = (await call.run(provider, planned)) as CountReply
    checkReply(reply, planned)
    observer.attempts.answeredBy(entry)
    return reply.promptTokens
  } catch (error) {
    failure = error
    throw error
  } finally {
    const endedAt = clock.monotonic()
    entry.endedAt = endedAt
    entry.error = failure
    call.end(failure === undefined, failure instanceof Error ? failure : undefined)
    healthCall.ended(uncounted, endedAt)
    if (failure !== undefined) entry.span?.end(failure)
  }
}
