import type { RequestOutcome } from '../contracts/events.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import type { Lifetime } from '../http/lifetime.ts'
import { toGatewayError } from '../upstream/to-gateway-error.ts'

/** An error as the outcome of a request, and as the error that the client gets. */
export interface Failure {
  readonly outcome: RequestOutcome
  readonly clientError: GatewayError
}

/** Converts whatever a stage, a policy or an upstream threw. An unknown error becomes a 500 without details. */
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
