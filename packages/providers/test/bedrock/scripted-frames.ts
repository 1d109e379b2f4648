import { crc32 } from '../../src/bedrock/crc32.ts'

/** A frame of `application/vnd.amazon.eventstream` with headers of text, for tests. */
export function scriptedFrame(headers: Readonly<Record<string, string>>, payload = ''): Uint8Array {
  const encoder = new TextEncoder()
  const parts: number[] = []
  for (const [name, value] of Object.entries(headers)) {
    const bytes = encoder.encode(value)
    parts.push(name.length, ...encoder.encode(name), 7, bytes.length >> 8, bytes.length & 0xff, ...bytes)
  }
  const body = encoder.encode(payload)
  const frame = new Uint8Array(16 + parts.length + body.length)
  const view = new DataView(frame.buffer)
  view.setUint32(0, frame.length)
  view.setUint32(4, parts.length)
  view.setUint32(8, crc32(frame, 0, 8))
  frame.set(parts, 12)
  frame.set(body, 12 + parts.length)
  view.setUint32(frame.length - 4, crc32(frame, 0, frame.length - 4))
  return frame
}

/** An event of ConverseStream: `{ messageStart: { role: 'assistant' } }`, with padding as the wire has it. */
export function scriptedEvent(event: Readonly<Record<string, object>>): Uint8Array {
  const [[name, payload] = ['', {}]] = Object.entries(event)
  return scriptedFrame(
    { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ ...payload, p: 'abcdefgh' }),
  )
}

/** An exception within a stream. */
export function scriptedException(type: string, payload: object): Uint8Array {
  return scriptedFrame(
    { ':message-type': 'exception', ':exception-type': type, ':content-type': 'application/json' },
    JSON.stringify(payload),
  )
}
