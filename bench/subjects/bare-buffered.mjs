import { createServer } from 'node:http'
import { forwarder } from './forward.mjs'
import { listening } from './listening.mjs'

export function start(upstream) {
  const forward = forwarder(upstream)
  return listening(
    createServer(async (req, res) => {
      const { status, headers, body } = await forward(req)
      res.writeHead(status, headers).end(body)
    }),
  )
}
