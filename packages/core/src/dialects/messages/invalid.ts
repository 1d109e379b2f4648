import { type ErrorReason, GatewayError } from '../../errors/errors.ts'
import { dotted } from './error.ts'

/** Returns the error (400) for a value. `path` is as everywhere in the gateway: `messages[0].content`. */
export function invalid(path: string, why: string, reason: ErrorReason = 'invalid_value'): GatewayError {
  return new GatewayError(reason, { message: `${dotted(path)}: ${why}`, param: path })
}

/** Returns the error (400) for a member that is absent. */
export function missing(path: string): GatewayError {
  return invalid(path, 'Field required', 'missing_required_parameter')
}

/** Returns the error (400) for a value of another type. */
export function wrongType(path: string, expected: string): GatewayError {
  return invalid(path, `Input should be ${expected}`, 'invalid_type')
}
