import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'
import { errorParts } from './protocol-error.ts'

/** What Node's parser and clock say of a connection, as the status and message of an answer. */
const errorsByCode: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The head of the request is too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of a chunk of the body are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
}
const malformed = [400, 'The request is no valid HTTP/1.1.'] as const

/**
 * Has a server answer what is no HTTP, or comes too slowly, in the protocol's shape, and close: Node's own answers to
 * that have no body. Nothing is written into an answer that has begun, nor behind one that Node gave by itself.
 */
export function rejectBadHttp(server: Server, connections: Connections): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { answers, written } = connections.of(socket) ?? { answers: [], written: 0 }
    const begun = socket.bytesWritten !== written || answers.some(({ headersSent }) => headersSent)
    if (!socket.writable || begun) return void socket.destroy()
    const [status, message] = errorsByCode[error.code ?? ''] ?? malformed
    socket.write(textOf(status, message))
    socket.destroySoon()
  })
}

function textOf(status: number, message: string): string {
  const { body, headers } = errorParts(status, message)
  const lines = Object.entries({
    ...headers,
    connection: 'close',
    'content-length': `${Buffer.byteLength(body)}`,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
