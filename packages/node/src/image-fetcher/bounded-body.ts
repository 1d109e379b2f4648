import type { IncomingMessage } from 'node:http'

/**
 * All of a body, or `undefined` where it has more than `most` bytes, as soon as that is known. The bytes are copied
 * into one place as they come: many small pieces take no more room than few large ones. Rejects where it ends early.
 */
export async function boundedBody(response: IncomingMessage, most: number): Promise<Uint8Array | undefined> {
  if (Number(response.headers['content-length'] ?? 0) > most) return undefined
  let data = new Uint8Array(Math.min(most, 65_536))
  let length = 0
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    const grown = length + piece.length
    if (grown > most) return undefined
    if (grown > data.length) data = widened(data, Math.min(most, Math.max(grown, 2 * data.length)))
    data.set(piece, length)
    length = grown
  }
  return data.slice(0, length)
}

function widened(data: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const wider = new Uint8Array(length)
  wider.set(data)
  return wider
}
