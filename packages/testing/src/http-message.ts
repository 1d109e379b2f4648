import type { ByteReader } from './byte-reader.ts'
import { type HeaderPairs, headerRecord } from './headers.ts'

/** The head of an HTTP/1.1 message as received. */
export interface MessageHead {
  readonly startLine: string
  readonly rawHeaders: HeaderPairs
  /** By lower-cased name; repeated lines are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
}

/** A body, and whether it is complete by its framing. */
export interface MessageBody {
  readonly bytes: Buffer
  readonly complete: boolean
  /** The sizes of its chunks; empty where the body was not chunked. */
  readonly chunkSizes: readonly number[]
}

/** How a body's end is known (RFC 9112, section 6.3). */
export type Framing = 'chunked' | 'until-close' | number

/** Reads a head. Returns `undefined` if the peer ended before it was complete. Throws for an invalid header line. */
export async function readHead(reader: ByteReader): Promise<MessageHead | undefined> {
  const startLine = await reader.line()
  if (startLine === undefined) return undefined
  const rawHeaders: [string, string][] = []
  for (;;) {
    const line = await reader.line()
    if (line === undefined) return undefined
    if (line === '') break
    const colon = line.indexOf(':')
    if (colon < 1) throw new Error(`HTTP head: got the line ${JSON.stringify(line)}, expected "name: value"`)
    rawHeaders.push([line.slice(0, colon), line.slice(colon + 1).trim()])
  }
  return { startLine, rawHeaders, headers: headerRecord(rawHeaders) }
}

/** The framing that the headers announce; `otherwise` where they say nothing. */
export function framingOf(headers: Readonly<Record<string, string>>, otherwise: Framing): Framing {
  if (/\bchunked\b/i.test(headers['transfer-encoding'] ?? '')) return 'chunked'
  const length = headers['content-length']
  if (length === undefined) return otherwise
  if (!/^\d+$/.test(length)) throw new Error(`content-length: got ${JSON.stringify(length)}, expected digits`)
  return Number(length)
}

export async function readBody(reader: ByteReader, framing: Framing): Promise<MessageBody> {
  if (framing === 'chunked') return readChunked(reader)
  if (framing === 'until-close') {
    const bytes = await reader.rest()
    return { bytes, complete: reader.whole, chunkSizes: [] }
  }
  const bytes = await reader.exactly(framing)
  return { bytes, complete: bytes.length === framing, chunkSizes: [] }
}

async function readChunked(reader: ByteReader): Promise<MessageBody> {
  const chunks: Buffer[] = []
  const body = (complete: boolean): MessageBody => ({
    bytes: Buffer.concat(chunks),
    complete,
    chunkSizes: chunks.map(chunk => chunk.length),
  })
  for (;;) {
    const line = await reader.line()
    if (line === undefined) return body(false)
    const hex = /^([0-9a-f]+)[ \t]*(?:;.*)?$/i.exec(line)?.[1]
    if (hex === undefined)
      throw new Error(`chunk: got the line ${JSON.stringify(line)}, expected a size in hex`)
    const size = Number.parseInt(hex, 16)
    if (size === 0) break
    const chunk = await reader.exactly(size)
    chunks.push(chunk)
    const end = chunk.length < size ? undefined : await reader.line()
    if (end === undefined) return body(false)
    if (end !== '') throw new Error(`chunk of ${size} bytes: more bytes follow than its size says`)
  }
  for (;;) {
    const trailer = await reader.line()
    if (trailer === undefined) return body(false)
    if (trailer === '') return body(true)
  }
}
