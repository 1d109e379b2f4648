import type { ErrorReason, Gateway } from '@sluice/core'
import { deliver, expectGateway, protocolError } from '@sluice/node/adapter'
import { type ExpressRequest, type ExpressResponse, requestTarget } from './request-target.ts'

/** What of a body parser's error is used (`http-errors`). */
interface ParserError {
  readonly type?: unknown
  readonly limit?: unknown
  readonly length?: unknown
}

/** An error of a body parser as the gateway reports it. */
interface BodyError {
  readonly status: number
  readonly reason: ErrorReason
  readonly message: string
}

/**
 * Returns error middleware for an application whose body parser runs before the gateway. Errors of the parser on the gateway's
 * paths get the error body of the path's protocol, so that clients understand them. All other errors are passed to
 * `next(error)`.
 *
 * Add it after the parser, at the root: `app.use(express.json()); app.use(bodyParserErrors(gateway))`. `mount` is the path
 * under which the gateway is mounted. Default: the root.
 *
 * Throws `ConfigurationError` for an invalid gateway.
 */
export function bodyParserErrors(
  gateway: Pick<Gateway<never>, 'matches' | 'errorResponse'>,
  mount = '',
): (error: unknown, req: ExpressRequest, res: ExpressResponse, next: (error?: unknown) => void) => void {
  expectGateway('bodyParserErrors()', gateway, ['matches'])
  return (error, req, res, next) => {
    const path = requestTarget(req)?.split('?', 1)[0]
    const found = path !== undefined && gateway.matches(path, mount) ? bodyError(error) : undefined
    if (path === undefined || found === undefined || res.headersSent) return next(error)
    const { status, reason, message } = found
    const answer = gateway.errorResponse?.(path, reason, message, mount) ?? protocolError(status, message)
    void deliver(answer, res)
  }
}

function bodyError(error: unknown): BodyError | undefined {
  const { type, limit, length } = (error ?? {}) as ParserError
  switch (type) {
    case 'entity.too.large':
      return {
        status: 413,
        reason: 'body_too_large',
        message: `Maximum content size limit (${limit}) exceeded (${length} bytes read)`,
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
