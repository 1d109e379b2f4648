import { createServer } from 'node:http'
import { toExpress } from '@sluice/express'
import express from 'express'
import { fullGateway } from '../gateway.mjs'
import { listening } from './listening.mjs'

export function start(upstream) {
  const app = express()
  app.use(toExpress(fullGateway(upstream)))
  return listening(createServer(app))
}
