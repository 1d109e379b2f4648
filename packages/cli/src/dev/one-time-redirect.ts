import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A URL that leads to another one, once. */
export interface OneTimeRedirect {
  readonly url: string
  close(): void
}

/**
 * Serves a redirect to a URL that has a key. The arguments of a program can be read by every user of the machine, those of
 * a browser for hours: this URL leads nowhere after its first request.
 */
export async function oneTimeRedirect(target: string): Promise<OneTimeRedirect> {
  const path = `/${randomBytes(24).toString('base64url')}`
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== path) {
      response.writeHead(404, { connection: 'close' }).end()
      return
    }
    server.close()
    response
      .writeHead(302, {
        location: target,
        connection: 'close',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      })
      .end()
  })
  server.unref()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${path}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
