import { createServer } from 'node:http'
import { toKoa } from '@sluice/koa'
import Koa from 'koa'
import { fullGateway } from '../gateway.mjs'
import { listening } from './listening.mjs'

export function start(upstream) {
  const app = new Koa()
  app.use(toKoa(fullGateway(upstream)))
  return listening(createServer(app.callback()))
}
