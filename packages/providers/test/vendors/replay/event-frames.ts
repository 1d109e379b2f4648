import { crc32 } from 'node:zlib'

// Frames of Amazon's event streams (`application/vnd.amazon.eventstream`): total length, length of the headers, CRC-32 of
// these two; headers; payload; CRC-32 of all that. A test beside this holds them to Amazon's own reader.

/** An event of a stream of Amazon's, as bytes. */
export function eventFrame(type: string, payload: unknown): Uint8Array {
  return frame(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    payload,
  )
}

/** A failure within a stream of Amazon's that its model of the service names, as bytes. */
export function exceptionFrame(type: string, payload: unknown): Uint8Array {
  return frame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    payload,
  )
}

/** A failure that the model of the service does not name: its words are headers, and there is no payload. */
export function errorFrame(code: string, message: string): Uint8Array {
  return frame({ ':error-code': code, ':error-message': message, ':message-type': 'error' })
}

/** Any frame: text headers, and a payload: bytes as they are, another value as JSON, or none. */
export function frame(headers: Readonly<Record<string, string>>, payload?: unknown): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)))
  const body =
    payload instanceof Uint8Array
      ? payload
      : Buffer.from(payload === undefined ? '' : JSON.stringify(payload))
  const lengths = Buffer.concat([uint32(16 + head.length + body.length), uint32(head.length)])
  const checked = Buffer.concat([lengths, uint32(crc32(lengths)), head, body])
  return Buffer.concat([checked, uint32(crc32(checked))])
}

/** Of type 7: a text with its length in two bytes. */
function header(name: string, value: string): Buffer {
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)]
  const length = Buffer.alloc(2)
  length.writeUInt16BE(valueBytes.length)
  return Buffer.concat([Buffer.from([nameBytes.length]), nameBytes, Buffer.from([7]), length, valueBytes])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
