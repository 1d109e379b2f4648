import type { Gateway } from '@sluice/core'
import { bodyParserResponse, deliver, expectGateway, mountPath } from '@sluice/node/adapter'
import { type ExpressRequest, type ExpressResponse, requestTarget } from './request-target.ts'

/**
 * Returns error middleware for an application whose body parser runs before the gateway. Errors of the parser on the gateway's
 * paths get the error body of the path's protocol, so that clients understand them. All other errors are passed to
 * `next(error)`.
 *
 * Add it after the parser, at the root: `app.use(express.json()); app.use(bodyParserErrors(gateway))`. `mount` is the path
 * under which the gateway is mounted, with or without slashes at its ends. Default: the root.
 *
 * Throws `ConfigurationError` for an invalid gateway, and for a mount that is a pattern or no path.
 */
export function bodyParserErrors(
  gateway: Pick<Gateway<never>, 'matches' | 'errorResponse'>,
  mount = '',
): (error: unknown, req: ExpressRequest, res: ExpressResponse, next: (error?: unknown) => void) => void {
  expectGateway('bodyParserErrors()', gateway, ['matches'])
  const prefix = mountPath('bodyParserErrors()', mount)
  return (error, req, res, next) => {
    const path = requestTarget(req)?.split('?', 1)[0]
    const answer =
      path === undefined || res.headersSent
        ? undefined
        : bodyParserResponse(gateway, error, path, prefix, req.headers.origin)
    if (answer === undefined) return next(error)
    void deliver(answer, res)
  }
}
