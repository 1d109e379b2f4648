import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { now } from '../process/clock.ts'
import type { UpstreamAnswers, UpstreamNotices } from '../process/messages.ts'
import { serveParent } from '../process/parent.ts'
import { type Exchange, exchangeOf } from './exchange.ts'
import { LiveStreams } from './live-streams.ts'
import { scripts } from './scripts.ts'

// A vendor that does what each request tells it to: a process of its own.

const live = new LiveStreams(1_000)
const lively = new LiveStreams(500)
const sockets = new Set<object>()

const parent = serveParent<UpstreamAnswers, UpstreamNotices>({
  count: () => ({ connections: sockets.size, live: live.count }),
  'end live streams': () => ({ words: live.end() }),
})

/** Tells when a client has come to where it leaves, and when the gateway has left after it. */
function reached({ id, res }: Exchange): void {
  const { socket } = res
  if (socket === null) return
  const closed = () => {
    socket.off('end', closed).off('error', closed).off('close', closed)
    if (!res.writableEnded) parent.tell('closed', { id, at: now() })
  }
  socket.on('end', closed).on('error', closed).on('close', closed)
  parent.tell('reached', id)
}

const server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (req, res) => {
  // The gateway gives up an idle connection well before, so that a soak soon sees whether one is left.
  res.setHeader('connection', 'keep-alive').setHeader('keep-alive', 'timeout=3')
  // Whoever leaves in mid answer is no fault of this server's.
  res.on('error', () => {})
  exchangeOf(req, res).then(
    exchange => {
      const script = scripts[exchange.script]
      if (script === undefined) throw new Error(`There is no script '${exchange.script}'.`)
      return script(exchange, { live, lively, reached })
    },
    () => res.destroy(),
  )
})
server.on('connection', socket => {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
})
server.listen(0, '127.0.0.1', () => parent.tell('listening', (server.address() as AddressInfo).port))
