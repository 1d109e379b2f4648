import type { ErrorReason, Gateway } from '@sluice/core'
import { protocolError } from './protocol-error.ts'

/** What of a body parser's error is used (`http-errors`). */
interface ParserError {
  readonly type?: unknown
  readonly limit?: unknown
  readonly length?: unknown
  readonly received?: unknown
}

/** An error of a body parser as the gateway reports it. */
interface BodyError {
  readonly status: number
  readonly reason: ErrorReason
  readonly message: string
}

/**
 * Returns the response to an error of a body parser on a path of the gateway, in the format of the path's protocol.
 * `undefined` for other paths and other errors.
 *
 * @param origin - the header of the request.
 */
export function bodyParserResponse(
  gateway: Pick<Gateway<never>, 'matches' | 'errorResponse'>,
  error: unknown,
  path: string,
  mount: string,
  origin: string | undefined,
): Response | undefined {
  const found = bodyError((error ?? {}) as ParserError)
  if (found === undefined || !gateway.matches(path, mount)) return undefined
  const { status, reason, message } = found
  return gateway.errorResponse?.(path, reason, message, mount, origin) ?? protocolError(status, message)
}

function bodyError(error: ParserError): BodyError | undefined {
  switch (error.type) {
    case 'entity.too.large':
      return {
        status: 413,
        reason: 'body_too_large',
        // A body in chunks has no length.
        message: `Maximum content size limit (${error.limit}) exceeded (${error.length ?? error.received} bytes read)`,
      }
    case 'entity.parse.failed':
    case 'entity.verify.failed':
      return {
        status: 400,
        reason: 'invalid_json',
        message: 'We could not parse the JSON body of your request.',
      }
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return invalid('The charset or the encoding of the body is not supported: send plain UTF-8.')
    case 'request.size.invalid':
    case 'request.aborted':
      return invalid('The body of the request did not have the length that was announced.')
    default:
      return undefined
  }
}

function invalid(message: string): BodyError {
  return { status: 400, reason: 'invalid_request', message }
}
