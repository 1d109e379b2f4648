import { once } from 'node:events'
import { createServer } from 'node:http'
import Koa from 'koa'
import { listening } from './listening.mjs'

/** Asks nobody: what Koa takes. */
export async function start(upstream) {
  const answer = Buffer.from(await (await fetch(upstream)).arrayBuffer())
  const app = new Koa()
  app.use(async context => {
    await once(context.req.resume(), 'end')
    context.set('content-type', 'application/json')
    context.body = answer
  })
  return listening(createServer(app.callback()))
}
