import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { generate } from 'selfsigned'

/** A server of images on 127.0.0.1, by https. */
export interface ImageHost {
  readonly port: number
  /** What has to be trusted to reach it. */
  readonly ca: string
  /** All connections that were ever made to it. */
  readonly connections: readonly Socket[]
  readonly requests: readonly IncomingMessage[]
  /** Resolves when no connection is open any more. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface Certificate {
  readonly cert: string
  readonly private: string
}

/** A certificate that nobody but its owner trusts. */
export function certificateFor(names: readonly string[], notAfterDate?: Date): Promise<Certificate> {
  return generate([{ name: 'commonName', value: names[0] ?? '' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...(notAfterDate && { notAfterDate, notBeforeDate: new Date(notAfterDate.getTime() - 86_400_000) }),
    extensions: [
      { name: 'subjectAltName', altNames: names.map(value => ({ type: 2 as const, value })) },
      { name: 'basicConstraints', cA: false },
    ],
  })
}

let usual: Promise<Certificate> | undefined

/** Starts a server of images. Default: it is `images.example.com` and all below `cdn.example`. */
export async function imageHost(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  certificate?: Certificate,
): Promise<ImageHost> {
  usual ??= certificateFor(['images.example.com', '*.cdn.example'])
  const { cert, private: key } = certificate ?? (await usual)
  const connections: Socket[] = []
  const requests: IncomingMessage[] = []
  const server = createServer({ cert, key }, (request, response) => {
    requests.push(request)
    answer(request, response)
  })
  server.on('connection', (socket: Socket) => connections.push(socket.on('error', () => {})))
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const idle = async () => {
    await Promise.all(connections.filter(({ closed }) => !closed).map(socket => once(socket, 'close')))
  }
  return {
    port: (server.address() as AddressInfo).port,
    ca: cert,
    connections,
    requests,
    idle,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of connections) socket.destroy()
      await closed
    },
  }
}

/** The first bytes of an image of each type, and some more. */
export const images = {
  'image/jpeg': Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'),
  'image/png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
    'base64',
  ),
  'image/gif': Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1'),
  'image/webp': Buffer.from('RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00', 'latin1'),
} as const

/** Answers with an image. */
export function sendImage(response: ServerResponse, type: keyof typeof images = 'image/png'): void {
  response.writeHead(200, { 'content-type': type }).end(images[type])
}
