import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many bytes of a body are waited for in any case. */
export const smallBodyBytes = 65_536
const maxDrainBytes = 64 * 1024 * 1024
const maxDrainMs = 5_000

/**
 * Returns whether the connection has to be closed after a response, because the rest of the request's body has not arrived
 * and is too large, or of unknown size. Node discards a small rest by itself, unless the response is a 408 or has
 * `connection: close`.
 */
export function leavesBodyUnread(
  incoming: IncomingMessage,
  status: number,
  response?: Pick<ServerResponse, 'getHeader'>,
): boolean {
  // HTTP/2 ends a request for itself, and its connection is everybody's.
  if (incoming.complete || incoming.destroyed || incoming.httpVersionMajor > 1) return false
  // Node discards the rest only of a connection that stays, and resets another one.
  if (response?.getHeader('connection') === 'close') return true
  const length = incoming.headers['content-length']
  // A client that waited for `100 Continue` may send its body or may not: nobody can know what comes next.
  return (
    status === 408 ||
    length === undefined ||
    Number(length) > smallBodyBytes ||
    incoming.headers.expect !== undefined
  )
}

const closing = new WeakSet<Socket>()

/**
 * Closes the connection of an answered request whose body has not all come within 5 seconds more. Node discards a small
 * rest by itself, but waits for it for as long as a request may take: 5 minutes.
 */
export function limitRemainingBody(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed || incoming.httpVersionMajor > 1) return
  const { socket } = incoming
  const timer = setTimeout(() => {
    // `drainBody` closes it otherwise.
    if (!closing.has(socket)) socket.destroySoon()
  }, maxDrainMs)
  const stop = () => clearTimeout(timer)
  incoming.once('end', stop).once('close', stop)
}

/**
 * Whether an earlier answer has said that the connection closes. What still comes on it must not be acted on (RFC
 * 9112 section 9.6): its answer would never be sent.
 */
export function isClosing(incoming: IncomingMessage): boolean {
  return closing.has(incoming.socket)
}

/**
 * Discards the rest of a body, for at most 5 seconds and 64 MiB. A client that is still writing would lose the response if the
 * connection were closed at once.
 */
export function drainBody(incoming: IncomingMessage): Promise<void> {
  closing.add(incoming.socket)
  return new Promise(resolve => {
    if (incoming.complete || incoming.destroyed) return resolve()
    let bytes = 0
    const count = (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes > maxDrainBytes) end()
    }
    const end = () => {
      clearTimeout(timer)
      incoming.off('data', count).off('end', end).off('close', end)
      resolve()
    }
    const timer = setTimeout(end, maxDrainMs)
    incoming.on('data', count).once('end', end).once('close', end)
    incoming.resume()
  })
}
