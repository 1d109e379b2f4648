import { apiKeys, createGateway, models } from '@sluice/core'
import { toExpress } from '@sluice/express'
import { toKoa } from '@sluice/koa'
import { local } from '@sluice/providers'
import express from 'express'
import Koa from 'koa'

const gateway = createGateway({
  authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
  route: models({ demo: local()('demo') }),
})

express().use('/ai', toExpress(gateway)).use(toExpress(gateway))
express.Router().use(toExpress(gateway))
new Koa().use(toKoa(gateway))

// The host's own request, with all that the host put on it, is what `authenticate` gets.
const ofExpress = createGateway<express.Request>({
  authenticate: (_request, req) => (req === undefined ? undefined : { id: req.ip ?? 'unknown' }),
  route: models({ demo: local()('demo') }),
})
express().use(toExpress(ofExpress))

const ofKoa = createGateway<Koa.Context>({
  authenticate: (_request, ctx) => (ctx === undefined ? undefined : { id: String(ctx.state.user) }),
  route: models({ demo: local()('demo') }),
})
new Koa().use(toKoa(ofKoa))
