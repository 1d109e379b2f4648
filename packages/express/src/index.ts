import type { Gateway } from '@sluice/core'
import { createDispatch, deliver, expectGateway } from '@sluice/node/adapter'
import { type ExpressRequest, type ExpressResponse, requestTarget } from './request-target.ts'

export { bodyParserErrors } from './body-parser-errors.ts'
export type { ExpressRequest, ExpressResponse } from './request-target.ts'

/**
 * Returns Express middleware for a gateway, for `app.use` at the root, under a path, or in a router:
 * `app.use(toExpress(gateway))`, `app.use('/api/ai', toExpress(gateway))`.
 *
 * It calls `next()` for paths that are not the gateway's. `authenticate` gets `req` as `host`; afterwards
 * `res.locals.sluice` is the principal. Every error of a request becomes a response, none is passed to `next`. A body that
 * `express.json()`, `raw()` or `text()` has read already is taken from `req.body` or `req.rawBody`.
 *
 * Throws `ConfigurationError` for an invalid gateway.
 */
export function toExpress<Req extends ExpressRequest = ExpressRequest>(
  gateway: Gateway<Req>,
): (req: Req, res: ExpressResponse, next: (error?: unknown) => void) => void {
  expectGateway('toExpress()', gateway, ['fetch', 'matches'])
  const dispatch = createDispatch(gateway)
  return (req, res, next) => {
    const mount = req.baseUrl
    const target = requestTarget(req)
    if (target === undefined || !gateway.matches(target.split('?', 1)[0]!, mount)) return next()
    const options = {
      protocol: req.protocol,
      target,
      context: {
        host: req,
        mount,
        onPrincipal: (principal: unknown) => {
          res.locals.sluice = principal
        },
      },
    }
    dispatch(req, res, options, answer => void deliver(answer, res))
  }
}
