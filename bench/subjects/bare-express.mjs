import { createServer } from 'node:http'
import express from 'express'
import { forwarder } from './forward.mjs'
import { listening } from './listening.mjs'

export function start(upstream) {
  const forward = forwarder(upstream)
  const app = express()
  app.use(async (req, res) => {
    const { status, headers, body } = await forward(req)
    res.writeHead(status, headers).end(body)
  })
  return listening(createServer(app))
}
