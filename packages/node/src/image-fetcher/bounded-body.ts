import type { IncomingMessage } from 'node:http'

/**
 * All of a body, or `undefined` where it has more than `maxBytes` bytes, as soon as that is known. The bytes are copied
 * into one buffer as they arrive: many small pieces take no more memory than few large ones. Rejects where it ends early.
 */
export async function boundedBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) return undefined
  let data = new Uint8Array(Math.min(maxBytes, 65_536))
  let length = 0
  for await (const piece of response as AsyncIterable<Uint8Array>) {
    const grown = length + piece.length
    if (grown > maxBytes) return undefined
    if (grown > data.length) data = widened(data, Math.min(maxBytes, Math.max(grown, 2 * data.length)))
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
