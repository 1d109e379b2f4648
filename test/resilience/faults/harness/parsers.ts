import { text } from 'node:stream/consumers'
import type { Middleware } from 'koa'
import { describe } from 'vitest'
import { type InFront, type Mount, mountsBehind } from '../../../e2e/mounts/mounts.ts'

/** Keeps what it made of the body and nothing else, as `express.json()` does; Koa's own keeps the text too. */
const koaJson: Middleware = async (ctx, next) => {
  if (ctx.method === 'POST') Object.assign(ctx.request, { body: JSON.parse(await text(ctx.req)) })
  await next()
}

const valueOnly: InFront = {
  express: (app, express) => app.use(express.json({ limit: '30mb' })),
  koa: app => app.use(koaJson),
}

/**
 * Registers tests once for every mount in an app that reads JSON bodies before the gateway does, and leaves nothing
 * but their values.
 */
export function behindParsers(tests: (mount: Mount) => void, before = valueOnly): void {
  describe.each(Object.entries(mountsBehind(before)))('%s, behind a parser', (_, mount) => tests(mount))
}
