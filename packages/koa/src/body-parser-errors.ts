import type { Gateway } from '@sluice/core'
import { bodyParserResponse, expectGateway, mountPath } from '@sluice/node/adapter'
import type { KoaContext } from './koa-context.ts'
import { mountOf } from './mount.ts'
import { respond } from './respond.ts'

/**
 * Returns Koa middleware for an application whose body parser runs before the gateway. Errors of the parser on the gateway's
 * paths get the error body of the path's protocol, so that clients understand them. All other errors are thrown again.
 *
 * Add it before the parser: `app.use(bodyParserErrors(gateway)); app.use(bodyParser())`. `mount` is the path under which the
 * gateway is mounted, with or without slashes at its ends. Default: where this middleware is.
 *
 * Throws `ConfigurationError` for an invalid gateway, and for a mount that is a pattern or no path.
 */
export function bodyParserErrors(
  gateway: Pick<Gateway<never>, 'matches' | 'errorResponse'>,
  mount?: string,
): (ctx: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  expectGateway('bodyParserErrors()', gateway, ['matches'])
  const prefix = mount === undefined ? undefined : mountPath('bodyParserErrors()', mount)
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      // A body that was parsed: the error is from what runs after the parser.
      if (ctx.request.body !== undefined || ctx.res.headersSent) throw error
      const mounted = mountOf(ctx, gateway)
      const { origin } = ctx.req.headers
      const response = bodyParserResponse(
        gateway,
        typed(error),
        mounted.path,
        prefix ?? mounted.mount,
        origin,
      )
      if (response === undefined) throw error
      respond(response, ctx)
    }
  }
}

/** What is used of an error of `co-body`, which reads the body for Koa's parsers. */
interface UntypedError {
  readonly type?: unknown
  readonly name?: unknown
  readonly status?: unknown
  readonly body?: unknown
  readonly message?: unknown
  readonly code?: unknown
}

/** Returns the error with the `type` that Express's parser would set. `co-body` sets none unless the size is wrong. */
function typed(thrown: unknown): unknown {
  const { type, name, status, body, message, code } = (thrown ?? {}) as UntypedError
  if (type !== undefined) return thrown
  if (name === 'SyntaxError' && status === 400 && typeof body === 'string')
    return { type: 'entity.parse.failed' }
  const coding = status === 415 && `${message}`.startsWith('Unsupported Content-Encoding')
  return coding || /^Z_(?:DATA|BUF)_ERROR$/.test(`${code}`) ? { type: 'encoding.unsupported' } : thrown
}
