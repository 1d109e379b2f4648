import type { Gateway } from '@sluice/core'
import { createDispatch, expectGateway } from '@sluice/node/adapter'
import type { KoaContext } from './koa-context.ts'
import { mountOf } from './mount.ts'
import { respond } from './respond.ts'

export { bodyParserErrors } from './body-parser-errors.ts'
export type { KoaContext } from './koa-context.ts'
export type { MountedContext } from './mount.ts'
export type { ResponseContext } from './respond.ts'

/**
 * Returns Koa middleware for a gateway: `app.use(toKoa(gateway))`, under `koa-mount`, or on a route of `@koa/router`
 * that ends in a wildcard.
 *
 * It calls `next()` for paths that are not the gateway's. `authenticate` gets `ctx` as `host`; afterwards `ctx.state.sluice` is
 * the principal. The response is in `ctx.status` and `ctx.body`, where outer middleware can see it. A body that a parser has
 * read already is taken from `ctx.request.rawBody` or `ctx.request.body`.
 *
 * Throws `ConfigurationError` for an invalid gateway.
 */
export function toKoa<Context extends KoaContext = KoaContext>(
  gateway: Gateway<Context>,
): (ctx: Context, next: () => Promise<unknown>) => Promise<void> {
  expectGateway('toKoa()', gateway, ['fetch', 'matches'])
  const dispatch = createDispatch(gateway)
  return async (ctx, next) => {
    const { mount, path } = mountOf(ctx, gateway)
    if (!gateway.matches(path, mount)) return void (await next())
    const options = {
      protocol: ctx.protocol,
      host: ctx.host || undefined,
      target: path + queryOf(ctx.url),
      read: ctx.request,
      context: {
        host: ctx,
        mount,
        onPrincipal: (principal: unknown) => {
          ctx.state.sluice = principal
        },
      },
    }
    const response = await new Promise<Response>(resolve => {
      dispatch(ctx.req, ctx.res, options, resolve)
    })
    respond(response, ctx)
  }
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start)
}
