import type { JsonFrame } from './parse-in-parts.ts'

const decoder = new TextDecoder()

/** A shorter text is not worth its pieces, in bytes. */
const minBytes = 65_536

/** A long JSON text with the bytes that it was received in. */
export interface ReceivedText {
  /** The text, which may be decoded when it is read. */
  readonly text: string
  /** The UTF-8 of the text. */
  readonly pieces: readonly Uint8Array[]
  /** Number of the bytes. */
  readonly bytes: number
}

export class ReceivedBody implements ReceivedText {
  readonly pieces: readonly Uint8Array[]
  readonly bytes: number
  /** The text without most items of an array, if it was parsed in parts. */
  readonly frame: JsonFrame | undefined
  #text: string | undefined

  /** @param text - the text, or how it was parsed: then it is decoded when it is read. */
  constructor(pieces: readonly Uint8Array[], bytes: number, text: string | JsonFrame) {
    this.pieces = pieces
    this.bytes = bytes
    this.frame = typeof text === 'string' ? undefined : text
    this.#text = typeof text === 'string' ? text : undefined
  }

  get text(): string {
    this.#text ??= decoder.decode(concatenated(this.pieces, this.bytes))
    return this.#text
  }
}

/** Returns a text with its bytes. `undefined` for a short one, and for one after a byte order mark, which it does not have. */
export function receivedText(
  text: string,
  pieces: readonly Uint8Array[],
  bytes: number,
): ReceivedText | undefined {
  if (bytes < minBytes || pieces.find(({ length }) => length > 0)?.[0] === 0xef) return undefined
  return new ReceivedBody(pieces, bytes, text)
}

function concatenated(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
