import { createServer, type Server } from 'node:http'
import { createGateway, models } from '@sluice/core'
import { bearerToken } from '@sluice/core/keys'
import { toExpress } from '@sluice/express'
import { toKoa } from '@sluice/koa'
import { toNodeListener } from '@sluice/node'
import express from 'express'
import Koa from 'koa'
import { modelIds } from './expected-status.ts'
import { key } from './request-heads.ts'

const target = {
  model: 'm',
  provider: {
    name: 'one word',
    encode: () => ({ method: 'POST' as const, url: 'http://upstream.test', headers: {} }),
    decode: () => ({
      kind: 'completion' as const,
      completion: { choices: [{ index: 0, message: { content: 'a' } }] },
    }),
    transport: async () => ({ status: 200, headers: new Headers(), body: noBytes() }),
  },
}
const gateway = createGateway({
  authenticate: request => (bearerToken(request) === key ? { id: 'ann' } : undefined),
  route: models(Object.fromEntries(modelIds.map(id => [id, target]))),
})

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/** The same gateway behind three hosts. None of them listens yet. */
export const servers = {
  'node:http': () => createServer(toNodeListener(gateway)),
  'Express 5': () => {
    const app = express()
    app.use(toExpress(gateway))
    return createServer(app)
  },
  Koa: () => {
    const app = new Koa()
    app.silent = true
    app.use(toKoa(gateway))
    return createServer(app.callback())
  },
} as const satisfies Readonly<Record<string, () => Server>>
