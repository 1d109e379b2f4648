import { createServer } from 'node:http'
import Koa from 'koa'
import { forwarder } from './forward.mjs'
import { listening } from './listening.mjs'

export function start(upstream) {
  const forward = forwarder(upstream)
  const app = new Koa()
  app.use(async ctx => {
    const { status, headers, body } = await forward(ctx.req)
    ctx.status = status
    ctx.set(headers)
    ctx.body = body
  })
  return listening(createServer(app.callback()))
}
