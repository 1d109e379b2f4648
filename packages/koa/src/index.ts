import type { IncomingMessage } from 'node:http'
import type { Gateway } from '@sluice/core'
import { ask, type ReadBody } from '@sluice/node'
import { type MountedContext, mountOf } from './mount.ts'
import { type AnswerContext, respond } from './respond.ts'

/** What of Koa's `ctx` is used: Koa 2 and 3 both fit. */
export interface KoaContext extends AnswerContext, MountedContext {
  readonly request: ReadBody & { readonly req: IncomingMessage }
  readonly url: string
  readonly protocol: string
  readonly host: string
  readonly state: Record<string, unknown>
}

/**
 * A gateway as Koa middleware: `app.use(toKoa(gateway))`, under `koa-mount`, or on a route of `@koa/router`
 * that ends in a wildcard.
 *
 * Paths that are not the gateway's go to `next()`. `authenticate` gets `ctx`; `ctx.state.sluice` is the
 * principal afterwards. The answer is Koa's own, `ctx.status` and `ctx.body`, so that outer middleware sees
 * it. A body that a parser has read already is taken from `ctx.request.rawBody` or `ctx.request.body`.
 */
export function toKoa<Context extends KoaContext = KoaContext>(
  gateway: Gateway<Context>,
): (ctx: Context, next: () => Promise<unknown>) => Promise<void> {
  return async (ctx, next) => {
    const { mount, path } = mountOf(ctx, gateway)
    if (!gateway.matches(path, mount)) return void (await next())
    const response = await ask(gateway, ctx.req, ctx.res, {
      protocol: ctx.protocol,
      host: ctx.host || undefined,
      target: path + queryOf(ctx.url),
      read: ctx.request,
      context: {
        host: ctx,
        mount,
        identified: principal => {
          ctx.state.sluice = principal
        },
      },
    })
    respond(response, ctx)
  }
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start)
}
