import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The answers that wait for their turn, by connection: one listener for all of them. */
const queues = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * An answer that waits for its turn behind another one on its connection (pipelining) is not told by Node when
 * the connection closes: this closes it then, so that what it waits for is given up.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null || response.closed) return
  const queue = queues.get(socket) ?? queueOf(socket)
  queue.add(response)
  response.once('close', () => queue.delete(response))
}

function queueOf(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>()
  queues.set(socket, queue)
  socket.once('close', () => {
    for (const response of queue) {
      // Those that have had their turn know already.
      if (response.socket !== null) continue
      response.destroy()
      response.emit('close')
    }
  })
  return queue
}
