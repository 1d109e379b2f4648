import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Pace } from './script.ts'
import { sleep } from './sleep.ts'
import { splitBytes } from './split.ts'

/** Thrown where a write finds that the connection is gone. */
export class ConnectionGone extends Error {
  override name = 'ConnectionGone'
}

/** Writes and waits while the peer does not read. Throws `ConnectionGone`. */
export async function writeBytes(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (!socket.writable) throw new ConnectionGone('the connection is closed')
  if (bytes.length === 0 || socket.write(bytes)) return
  await untilOneOf(socket, ['drain', 'close'])
  if (!socket.writable) throw new ConnectionGone('the connection was closed while a write waited')
}

/** Writes piece by piece with `pace`; `frame` wraps each piece. */
export async function writePaced(
  socket: Socket,
  pieces: readonly Uint8Array[],
  pace: Pace,
  signal: AbortSignal,
  frame: (piece: Uint8Array) => Uint8Array = piece => piece,
): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0 && pace.delay) await sleep(pace.delay, signal)
    // Without a turn of the event loop the kernel would join the writes into one segment.
    else if (index > 0 && pace.split) await turn()
    await writeBytes(socket, frame(piece))
  }
}

/** The pieces that `pace` makes of some bytes. */
export function piecesOf(bytes: Uint8Array, pace: Pace): Uint8Array[] {
  return splitBytes(bytes, pace.split ?? 'whole')
}

/** Resolves when all that was written has gone to the kernel, or the connection is gone. */
export async function flushed(socket: Socket): Promise<void> {
  while (socket.writable && socket.writableLength > 0) {
    await new Promise<void>(resolve => {
      socket.write('', () => resolve())
    })
  }
}

/** Resolves when the socket is closed, at once where it is. */
export async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await untilOneOf(socket, ['close'])
}

async function untilOneOf(socket: Socket, events: readonly string[]): Promise<void> {
  await new Promise<void>(resolve => {
    const done = () => {
      for (const event of events) socket.off(event, done)
      resolve()
    }
    for (const event of events) socket.on(event, done)
  })
}
