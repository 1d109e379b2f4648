import type { RequestOutcome } from '../contracts/events.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import type { Lifetime } from '../http/lifetime.ts'
import { toGatewayError } from '../upstream/to-gateway-error.ts'

/** What a throw means: for the record, and for the caller. */
export interface Failure {
  readonly outcome: RequestOutcome
  readonly clientError: GatewayError
}

/** Sorts whatever a stage, a policy or an upstream threw. What is not a refusal is a 500 that tells nothing. */
export function toFailure(error: unknown, model: string, lifetime: Lifetime): Failure {
  if (lifetime.ended === 'client_disconnected')
    return { outcome: 'client_disconnected', clientError: new GatewayError('client_disconnected') }
  if (error instanceof LifeEnded)
    return { outcome: 'gateway_closed', clientError: new GatewayError('shutting_down') }
  if (UpstreamError.is(error))
    return { outcome: 'upstream_failed', clientError: toGatewayError(error, model) }
  if (GatewayError.is(error)) return { outcome: 'refused', clientError: error }
  return { outcome: 'internal_error', clientError: new GatewayError('server_error', { cause: error }) }
}
