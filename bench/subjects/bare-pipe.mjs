import { createServer } from 'node:http'
import { Pool } from 'undici'
import { listening } from './listening.mjs'

export function start(upstream) {
  const pool = new Pool(upstream)
  return listening(
    createServer(async (req, res) => {
      const length = req.headers['content-length'] ?? '0'
      const answer = await pool.request({
        method: 'POST',
        path: req.url,
        headers: { 'content-type': 'application/json', 'content-length': length },
        body: req,
      })
      const told = ['content-type', 'content-length'].filter(name => answer.headers[name] !== undefined)
      res.writeHead(answer.statusCode, Object.fromEntries(told.map(name => [name, answer.headers[name]])))
      answer.body.pipe(res)
    }),
  )
}
