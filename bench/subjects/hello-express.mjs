import { createServer } from 'node:http'
import express from 'express'
import { listening } from './listening.mjs'

/** Asks nobody: what Express takes. */
export async function start(upstream) {
  const answer = Buffer.from(await (await fetch(upstream)).arrayBuffer())
  const headers = { 'content-type': 'application/json', 'content-length': answer.byteLength }
  const app = express()
  app.use((req, res) => {
    req.resume().once('end', () => res.writeHead(200, headers).end(answer))
  })
  return listening(createServer(app))
}
