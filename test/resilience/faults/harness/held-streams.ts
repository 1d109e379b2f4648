import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chunks, sse } from '@sluice/testing'
import { onTestFinished } from 'vitest'

const events = sse(chunks({ text: 'one two three' }))

/** A vendor whose streams say two words, and the rest only when they are let go. */
export interface HeldStreams {
  readonly baseURL: string
  /** Streams that were asked for so far. */
  readonly asked: number
  /** Connections open now. */
  readonly open: number
  letGo(): void
}

/** Starts one until the test ends. */
export async function heldStreams(): Promise<HeldStreams> {
  let letGo = () => {}
  const gone = new Promise<void>(resolve => {
    letGo = resolve
  })
  let asked = 0
  let open = 0
  const server = createServer((req, res) => {
    asked++
    req.resume()
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.write(events.slice(0, 3).join(''))
    void gone.then(() => res.end(events.slice(3).join('')))
  })
  server.on('connection', socket => {
    open++
    socket.once('close', () => open--)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    get asked() {
      return asked
    },
    get open() {
      return open
    },
    letGo: () => letGo(),
  }
}
